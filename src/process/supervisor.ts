import type { FastifyBaseLogger } from 'fastify'
import { keepProcess } from './keep-process.ts'
import { relayMetrics } from './metrics-relay.ts'
import { startWorkers } from './workers.ts'

type SupervisorOptions = {
  workers: number
  databaseUrl: string
  /** Resolves once the database can be used, which workers do not wait for. */
  prepared: Promise<void>
  /** When it aborts, nothing is started any more. */
  signal: AbortSignal
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
}

export type Supervisor = {
  /** Resolves once the workers serve; rejects with the reason when none of them ever could. */
  serving: Promise<void>
  /** Stops the workers, then the other processes: the importer takes over what workers still wrote. */
  stop(): Promise<void>
}

/**
 * Starts the HTTP workers, the importer and the follower of the link store as processes of their own and
 * restarts whichever dies. The importer never shares an event loop with HTTP: there it cost a third of the
 * redirects. The others start once the workers serve, for which they would only take the processor from
 * them.
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
    importer.letDie()
    follower.letDie()
    await http.stop()
    await Promise.all([importer.stop(), follower.stop()])
  }

  return { serving, stop }
}
