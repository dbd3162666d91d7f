import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Presence } from './session.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000

export type KeepLog = Record<'info' | 'error', (line: string) => void>

type Options = {
  presence: Presence
  /** Finds the server, or starts it again, and joins it. */
  rejoin: () => Promise<Presence>
  signal: AbortSignal
  log: KeepLog
}

/**
 * Joins a server again whenever the connection to it is lost, and tries that until it works, each time
 * after a longer pause: a full disk may be freed after hours. Ends when `signal` says so.
 */
export async function keepJoined({ presence, rejoin, signal, log }: Options): Promise<void> {
  const stopped = signal.aborted ? Promise.resolve() : once(signal, 'abort')
  let current = presence
  for (;;) {
    await Promise.race([current.lost, stopped])
    if (signal.aborted) return
    log.error('the connection to the embedded PostgreSQL was lost')
    const again = await retry({ rejoin, signal, log })
    if (!again) return
    current = again
    log.info('the embedded PostgreSQL is there again')
  }
}

/** Gives undefined when `signal` came first. */
async function retry({
  rejoin,
  signal,
  log,
}: Omit<Options, 'presence'>): Promise<Presence | undefined> {
  let said = ''
  for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    try {
      return await rejoin()
    } catch (error) {
      if (signal.aborted) return
      const message = error instanceof Error ? error.message : String(error)
      // What PostgreSQL says has the time and its pid in it.
      const kind = message.replaceAll(/\d+/g, '')
      if (kind !== said) log.error(message)
      said = kind
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }
  return
}
