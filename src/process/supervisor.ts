import type { FastifyBaseLogger } from 'fastify'
import { type BackgroundProcess, keepProcess } from './keep-process.ts'
import { relayMetrics } from './metrics-relay.ts'
import { startWorkers } from './workers.ts'

type SupervisorOptions = {
  workers: number
  /** The other processes. */
  background: readonly BackgroundProcess[]
  /** The database, unless this is an edge. */
  databaseUrl: string | undefined
  /** Resolves when the other processes can be started. Workers do not wait for it. */
  prepared: Promise<void>
  /** Whether the other processes start once the workers serve. Default: true. */
  workersFirst?: boolean
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
 * Starts the HTTP workers and the other processes, and restarts any that dies. Sharing an event loop
 * with the importer would cost HTTP a third of its redirects. The other processes start once the
 * workers serve, so that they do not slow down startup.
 */
export function supervise({
  workers,
  background,
  databaseUrl,
  prepared,
  workersFirst = true,
  signal,
  log,
}: SupervisorOptions): Supervisor {
  relayMetrics()
  const { serving, ...http } = startWorkers({ count: workers, databaseUrl, signal, log })
  const ready = workersFirst ? Promise.all([serving, prepared]) : prepared
  const others = background.map((name) => keepProcess(name, { ready, databaseUrl, signal, log }))

  async function stop(): Promise<void> {
    for (const other of others) other.disableRestart()
    await http.stop()
    await Promise.all(others.map((other) => other.stop()))
  }

  return { serving, stop }
}
