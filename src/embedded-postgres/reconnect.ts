import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Presence } from './session.ts'

const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 5000

export type KeepLog = Record<'info' | 'error', (line: string) => void>

type Options = {
  presence: Presence
  /** Finds or restarts the server and connects to it. */
  rejoin: () => Promise<Presence>
  signal: AbortSignal
  log: KeepLog
}

/**
 * Reconnects to a server whenever the connection is lost. Retries with growing pauses, because it
 * may take hours until a full disk has free space again. Ends when `signal` aborts.
 */
export async function keepConnected({ presence, rejoin, signal, log }: Options): Promise<void> {
  const stopped = signal.aborted ? Promise.resolve() : once(signal, 'abort')
  let current = presence
  for (;;) {
    await Promise.race([current.lost, stopped])
    if (signal.aborted) return
    log.error('the connection to the embedded PostgreSQL was lost')
    const reconnected = await reconnect({ rejoin, signal, log })
    if (!reconnected) return
    current = reconnected
    log.info('the embedded PostgreSQL is available again')
  }
}

/** Reconnects. Returns undefined if `signal` aborts first. */
async function reconnect({
  rejoin,
  signal,
  log,
}: Omit<Options, 'presence'>): Promise<Presence | undefined> {
  let lastReason = ''
  for (let pause = FIRST_PAUSE_MS; !signal.aborted; pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    try {
      return await rejoin()
    } catch (error) {
      if (signal.aborted) return
      const message = error instanceof Error ? error.message : String(error)
      // PostgreSQL's messages contain the time and the pid.
      const reason = message.replaceAll(/\d+/g, '')
      if (reason !== lastReason) log.error(message)
      lastReason = reason
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }
  return
}
