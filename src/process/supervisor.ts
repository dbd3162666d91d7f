import type { FastifyBaseLogger } from 'fastify'
import { keepProcess } from './keep-process.ts'
import { relayMetrics } from './metrics-relay.ts'
import { startWorkers } from './workers.ts'

type SupervisorOptions = {
  workers: number
  databaseUrl: string
  /** Resolves when the database can be used. Workers do not wait for it. */
  prepared: Promise<void>
  /** Aborts all further starts. */
  signal: AbortSignal
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
}

export type Supervisor = {
  /** Resolves when the workers serve. Rejects with the reason if none could. */
  serving: Promise<void>
  /**
   * Stops the workers, then the other processes, so that the importer imports the workers' last
   * clicks.
   */
  stop(): Promise<void>
}

/**
 * Starts the HTTP workers, the importer and the follower of the link store as separate processes,
 * and restarts any that dies. Sharing an event loop with the importer would cost HTTP a third of
 * its redirects. The other processes start once the workers serve, so that they do not slow down
 * startup.
 */
export function supervise({
  workers,
  databaseUrl,
  prepared,
  signal,
  log,
}: SupervisorOptions): Supervisor {
  relayMetrics()
  const { serving, ...http } = startWorkers({ count: workers, databaseUrl, signal, log })
  const ready = Promise.all([serving, prepared])
  const importer = keepProcess('importer', { ready, databaseUrl, signal, log })
  const follower = keepProcess('follower', { ready, databaseUrl, signal, log })

  async function stop(): Promise<void> {
    importer.disableRestart()
    follower.disableRestart()
    await http.stop()
    await Promise.all([importer.stop(), follower.stop()])
  }

  return { serving, stop }
}
