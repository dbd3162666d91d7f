import { type ChildProcess, fork } from 'node:child_process'
import type { FastifyBaseLogger } from 'fastify'
import { childEnvironment } from '../config.ts'
import { programPath } from '../program.ts'
import { relayMetrics } from './metrics-relay.ts'
import { startWorkers } from './workers.ts'

type SupervisorOptions = {
  workers: number
  databaseUrl: string
  /** When it aborts, nothing is started any more. */
  signal: AbortSignal
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
}

export type Supervisor = {
  /** Resolves once the workers serve; rejects with the reason when none of them ever could. */
  serving: Promise<void>
  /** Stops the workers, then the importer, which takes over what they still wrote. */
  stop(): Promise<void>
}

const RESTART_MS = 250

/**
 * Starts the HTTP workers and the importer as processes of their own and starts again whichever
 * dies. The importer never shares an event loop with HTTP: there it cost a third of the redirects. It
 * is started once the workers serve, for which it would only take the processor from them.
 */
export function supervise({ workers, databaseUrl, signal, log }: SupervisorOptions): Supervisor {
  let stopping = false
  let importer: ChildProcess | undefined
  relayMetrics()
  const { serving, ...http } = startWorkers({ count: workers, databaseUrl, signal, log })

  serving.then(startImporter, () => {})

  function startImporter(): void {
    if (stopping || signal.aborted) return
    const env = childEnvironment({ DATABASE_URL: databaseUrl })
    importer = fork(programPath('importer'), { env, detached: false })
    importer.once('exit', (code, signal) => {
      importer = undefined
      if (stopping) return
      log.error({ code, signal }, 'the importer died and is started again')
      setTimeout(startImporter, RESTART_MS)
    })
  }

  async function stop(): Promise<void> {
    stopping = true
    await http.stop()
    if (importer) await endImporter(importer)
  }

  return { serving, stop }
}

function endImporter(importer: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    importer.once('exit', () => resolve())
    importer.kill('SIGTERM')
  })
}
