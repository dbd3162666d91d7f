import type { FastifyBaseLogger } from 'fastify'
import { type BackgroundProcess, keepProcess } from './keep-process.ts'
import { relayMetrics } from './metrics-relay.ts'
import { startWorkers } from './workers.ts'

type SupervisorOptions = {
  workers: number
  /** The process for everything else. */
  background: BackgroundProcess
  /** The database, unless this is an edge. */
  databaseUrl: string | undefined
  /** The seconds after which a process that does not answer is replaced, or 0. */
  watchdogSeconds: number
  /** Resolves when the background process may start. Workers do not wait for it. */
  prepared: Promise<void>
  /** Whether the background process starts after the workers are ready. Defaults to true. */
  workersFirst?: boolean
  /** Prevents all further starts when it aborts. */
  signal: AbortSignal
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
}

export type Supervisor = {
  /**
   * Resolves when the workers are ready, with the reason if they refuse to serve. Rejects with the
   * reason if none of them can start.
   */
  serving: Promise<{ refusal: string | undefined }>
  /**
   * Stops the workers, then the background process, so that the importer still imports the workers'
   * last clicks.
   */
  stop(): Promise<void>
}

/**
 * Starts the HTTP workers and the background process, and restarts those that die. If the importer
 * shared an event loop with HTTP, it would cost a third of the redirects. The background process
 * starts after the workers are ready, so that it does not slow down startup.
 */
export function supervise({
  workers,
  background,
  databaseUrl,
  watchdogSeconds,
  prepared,
  workersFirst = true,
  signal,
  log,
}: SupervisorOptions): Supervisor {
  relayMetrics()
  const { serving, ...http } = startWorkers({
    count: workers,
    databaseUrl,
    watchdogSeconds,
    signal,
    log,
  })
  const ready = workersFirst ? Promise.all([serving, prepared]) : prepared
  const backgroundProcess = keepProcess(background, {
    ready,
    databaseUrl,
    watchdogSeconds,
    signal,
    log,
  })

  async function stop(): Promise<void> {
    backgroundProcess.disableRestart()
    await http.stop()
    await backgroundProcess.stop()
  }

  return { serving, stop }
}
