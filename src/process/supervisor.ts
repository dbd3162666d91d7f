import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import { childEnvironment } from '../config.ts'
import { relayMetrics } from './metrics-relay.ts'
import { startWorkers } from './workers.ts'

type SupervisorOptions = {
  workers: number
  databaseUrl: string
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
}

export type Supervisor = {
  /** Resolves once the workers listen; rejects with the reason when none of them ever could. */
  listening: Promise<void>
  /** Stops the workers, then the importer, which takes over what they still wrote. */
  stop(): Promise<void>
}

const RESTART_MS = 250

/**
 * Starts the HTTP workers and the importer as processes of their own and starts again whichever
 * dies. The importer never shares an event loop with HTTP: there it cost a third of the redirects.
 */
export function supervise({ workers, databaseUrl, log }: SupervisorOptions): Supervisor {
  let stopping = false
  let importer: ChildProcess | undefined
  const env = { DATABASE_URL: databaseUrl }
  relayMetrics()
  const http = startWorkers({ count: workers, env, log })
  startImporter()

  function startImporter(): void {
    if (stopping) return
    importer = fork(pathOf('../importer.ts'), { env: childEnvironment(env), detached: false })
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

  return { listening: http.listening, stop }
}

function endImporter(importer: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    importer.once('exit', () => resolve())
    importer.kill('SIGTERM')
  })
}

function pathOf(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url))
}
