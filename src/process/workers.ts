import cluster, { type Worker } from 'node:cluster'
import type { FastifyBaseLogger } from 'fastify'
import { programPath } from '../program.ts'
import type { GivenUp } from './give-up.ts'

type WorkersOptions = {
  count: number
  databaseUrl: string
  /** When it aborts, none is started any more. */
  signal: AbortSignal
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>
}

export type Workers = {
  /**
   * Resolves when every worker listens or has failed to, and one does. Rejects with the last one's
   * reason when none could at all.
   */
  serving: Promise<void>
  /** Has them finish what they are doing and end. */
  stop(): Promise<void>
}

const RESTART_MS = 250
const LONGEST_PAUSE_MS = 5000
/** Beyond one for each worker: what passes, such as a port that is just being let go, has passed then. */
const FURTHER_FAILURES = 2

/** Starts the HTTP workers as processes of their own, and restarts whichever dies. */
export function startWorkers({ count, databaseUrl, signal: noMore, log }: WorkersOptions): Workers {
  const { promise: serving, resolve, reject } = Promise.withResolvers<void>()
  // Whoever waits for it may do so later than it fails.
  serving.catch(() => {})
  const undecided = new Set<number>()
  const ready = new Set<number>()
  const reasons = new Map<number, string>()
  let stopping = false
  let anyServed = false
  /** Workers in a row that ended before they could serve. */
  let failures = 0

  // A single worker accepts its connections itself; several get theirs dealt out in turn. What is said
  // after `setupPrimary` would come too late.
  cluster.schedulingPolicy = count === 1 ? cluster.SCHED_NONE : cluster.SCHED_RR
  cluster.setupPrimary({ exec: programPath('worker') })
  cluster.on('message', ({ id }, message: GivenUp) => {
    if (message.type === 'brevis:given-up') reasons.set(id, message.reason)
  })
  // A worker listens only once all of its routes are ready.
  cluster.on('listening', ({ id }) => serves(id))
  cluster.on('exit', (worker, code, signal) => {
    const { id } = worker
    const reason = reasons.get(id)
    reasons.delete(id)
    if (stopping || noMore.aborted) return
    const details = { pid: worker.process.pid, code, signal, reason }
    if (ready.delete(id)) {
      log.error(details, 'a worker died and is started again')
      startSoon(RESTART_MS)
      return
    }
    failures += 1
    if (!anyServed && failures >= count + FURTHER_FAILURES) {
      reject(new Error(reason ?? `no worker could serve (${signal ?? `exit code ${code}`})`))
      return
    }
    log.warn(details, 'a worker ended before it could serve, and is started again')
    startSoon(Math.min(LONGEST_PAUSE_MS, RESTART_MS * 2 ** Math.min(failures - 1, 10)))
    decided(id)
  })
  for (let index = 0; index < count; index += 1) undecided.add(fork().id)

  function serves(id: number): void {
    ready.add(id)
    anyServed = true
    failures = 0
    decided(id)
  }

  function decided(id: number): void {
    undecided.delete(id)
    if (anyServed && undecided.size === 0) resolve()
  }

  function startSoon(pause: number): void {
    setTimeout(() => stopping || noMore.aborted || fork(), pause)
  }

  function fork(): Worker {
    return cluster.fork({ DATABASE_URL: databaseUrl })
  }

  function running(): Worker[] {
    return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)
  }

  async function stop(): Promise<void> {
    stopping = true
    await Promise.all(running().map(endWorker))
  }

  return { serving, stop }
}

function endWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    if (worker.isDead()) resolve()
    worker.once('exit', () => resolve())
    worker.process.kill('SIGTERM')
  })
}
