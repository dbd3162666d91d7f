import { type ChildProcess, fork } from 'node:child_process'
import cluster, { type Worker } from 'node:cluster'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import { childEnvironment } from '../config.ts'
import { relayMetrics } from './metrics-relay.ts'

type SupervisorOptions = {
  workers: number
  databaseUrl: string
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
}

export type Supervisor = {
  /** Ends once every worker has accepted connections. Fails if one dies before it ever could. */
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
  const { promise: listening, resolve, reject } = Promise.withResolvers<void>()
  const ready = new Set<number>()

  // A single worker accepts its connections itself; several get theirs dealt out in turn. What is said
  // after `setupPrimary` would come too late.
  cluster.schedulingPolicy = workers === 1 ? cluster.SCHED_NONE : cluster.SCHED_RR
  cluster.setupPrimary({ exec: pathOf('../worker.ts') })
  cluster.on('listening', (worker) => {
    ready.add(worker.id)
    if (ready.size >= workers) resolve()
  })
  cluster.on('exit', (worker, code, signal) => {
    if (stopping) return
    if (!ready.has(worker.id) && ready.size < workers) {
      reject(new Error(`a worker ended before it could listen (${signal ?? `exit code ${code}`})`))
      return
    }
    log.error({ pid: worker.process.pid, code, signal }, 'a worker died and is started again')
    setTimeout(() => stopping || cluster.fork(env), RESTART_MS)
  })
  relayMetrics()
  for (let index = 0; index < workers; index += 1) cluster.fork(env)
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
    const alive = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
    await Promise.all(alive.map(endWorker))
    if (importer) await endImporter(importer)
  }

  return { listening, stop }
}

function endWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isDead()) resolve()
    worker.once('exit', () => resolve())
    worker.process.kill('SIGTERM')
  })
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
