import cluster, { type Worker } from 'node:cluster'
import type { FastifyBaseLogger } from 'fastify'
import { createRepetitionCheck } from '../concurrency/memo.ts'
import { getProgramPath, SMALL_HEAP } from '../program.ts'
import type { Refusal } from './await-own-files.ts'
import type { Listening, StartupFailure } from './startup.ts'
import { watchProcess } from './watchdog.ts'

type WorkersOptions = {
  count: number
  /** The database, unless this is an edge. */
  databaseUrl: string | undefined
  /** The seconds after which a worker that does not answer is replaced, or 0. */
  watchdogSeconds: number
  /** Prevents all further starts when it aborts. */
  signal: AbortSignal
  log: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>
}

export type Workers = {
  /**
   * Resolves when each worker listens or has failed, and at least one listens: with the reason if
   * they refuse to serve. Rejects with the last failure if none listens.
   */
  serving: Promise<{ refusal: string | undefined }>
  /** Asks the workers to finish their requests, and waits until they have ended. */
  stop(): Promise<void>
}

/** The pause before a worker is restarted. It doubles while workers fail to start. */
const RESTART_MS = 250
const MAX_PAUSE_MS = 5000
/**
 * The number of failures to tolerate in addition to one per worker, because of temporary problems
 * such as a port that is being released.
 */
const MAX_EXTRA_FAILURES = 2

/** Starts the HTTP workers as separate processes, and restarts those that die. */
export function startWorkers({
  count,
  databaseUrl,
  watchdogSeconds,
  signal: stopSignal,
  log,
}: WorkersOptions): Workers {
  const {
    promise: serving,
    resolve,
    reject,
  } = Promise.withResolvers<{ refusal: string | undefined }>()
  // The rejection is handled later, when the promise is awaited.
  serving.catch(() => {})
  /** Workers that neither listen nor have failed yet. */
  const undecided = new Set<number>()
  const ready = new Set<number>()
  const reasons = new Map<number, string>()
  /** Workers that serve nothing, and the last reason. */
  const refusing = new Set<number>()
  let refusal: string | undefined
  const isNews = createRepetitionCheck()
  let isStopping = false
  let hasServed = false
  /** The number of consecutive workers that ended before they were ready. */
  let failures = 0

  // A single worker accepts its own connections. Several workers receive connections in turn. Must
  // be set before `setupPrimary`.
  cluster.schedulingPolicy = count === 1 ? cluster.SCHED_NONE : cluster.SCHED_RR
  cluster.setupPrimary({
    exec: getProgramPath('worker'),
    execArgv: [...process.execArgv, ...SMALL_HEAP],
  })
  cluster.on('message', ({ id }, message: Listening | StartupFailure | Refusal) => {
    // A worker listens only after all of its routes are ready.
    if (message.type === 'brevis:listening') markReady(id)
    if (message.type === 'brevis:startup-failure') reasons.set(id, message.reason)
    if (message.type !== 'brevis:refusal') return
    refusing.add(id)
    if (refusal !== message.reason) log.error(message.reason)
    refusal = message.reason
  })
  cluster.on('exit', (worker, code, signal) => {
    const { id } = worker
    const reason = reasons.get(id)
    reasons.delete(id)
    if (isStopping || stopSignal.aborted) return
    const details = { worker: worker.process.pid, code, signal, reason }
    if (refusing.delete(id) && code === 0) {
      refusal = undefined
      log.info(details, 'a worker is started again, because it can serve now')
      ready.delete(id)
      startAfter(RESTART_MS)
      return
    }
    if (ready.delete(id)) {
      log.error(details, 'a worker died and is started again')
      startAfter(RESTART_MS)
      return
    }
    failures += 1
    if (!hasServed && failures >= count + MAX_EXTRA_FAILURES) {
      reject(new Error(reason ?? `no worker could serve (${signal ?? `exit code ${code}`})`))
      return
    }
    if (isNews(`${reason ?? signal ?? code}`)) {
      log.warn(details, 'a worker ended before it could serve, and is started again')
    }
    startAfter(Math.min(MAX_PAUSE_MS, RESTART_MS * 2 ** (failures - 1)))
    markDecided(id)
  })
  for (let index = 0; index < count; index += 1) undecided.add(fork().id)

  function markReady(id: number): void {
    ready.add(id)
    hasServed = true
    failures = 0
    markDecided(id)
  }

  function markDecided(id: number): void {
    undecided.delete(id)
    if (hasServed && undecided.size === 0) resolve({ refusal })
  }

  function startAfter(pause: number): void {
    setTimeout(() => isStopping || stopSignal.aborted || fork(), pause)
  }

  function fork(): Worker {
    const worker = cluster.fork(databaseUrl ? { DATABASE_URL: databaseUrl } : {})
    watchProcess(worker.process, watchdogSeconds, () =>
      log.error({ worker: worker.process.pid }, 'a worker does not answer and is replaced'),
    )
    return worker
  }

  function listRunning(): Worker[] {
    return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  }

  async function stop(): Promise<void> {
    isStopping = true
    await Promise.all(listRunning().map(stopWorker))
  }

  return { serving, stop }
}

function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isDead()) resolve()
    worker.once('exit', () => resolve())
    worker.process.kill('SIGTERM')
  })
}
