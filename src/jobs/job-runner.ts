import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LogFunctionFactory, TaskList } from 'graphile-worker'
import type pg from 'pg'
import type { Log } from '../context.ts'
import type { Identity } from '../db/connection-check.ts'
import { openDriverPool } from '../db/driver-pool.ts'
import { isJobSchemaPending, JOB_SCHEMA } from '../db/job-schema.ts'
import {
  addPeriodicJobs,
  deleteOldFailures,
  tryRunnerLock,
  unlockJobs,
} from './job-queue.queries.ts'

/** Milliseconds until the next attempt to become the runner, and until a restart after an error. */
const RETRY_MS = 5000
/** Milliseconds for which a shutdown waits for running jobs before it aborts them. */
const ABORT_AFTER_MS = 1500
const CLEANUP_INTERVAL_MS = 86_400_000
/**
 * One connection for the runner's lock, one for notifications, and one to fetch and finish jobs.
 */
const CONNECTIONS = 3

export type RunnerOptions = {
  databaseUrl: string
  /** The installation to which the database must belong. */
  instance?: Identity
  tasks: TaskList
  /** The tasks that run when this process becomes the runner, and then every minute. */
  everyMinute: readonly string[]
  log: Log
  retryMs?: number
  /** Called whenever this process becomes the runner, before it runs any job. */
  onStart?: () => Promise<void>
}

export type JobRunner = ReturnType<typeof createJobRunner>

/**
 * Creates the runner of queued jobs. Only one process per installation runs jobs at a time. If this
 * process has the runner's lock, any other locked jobs belong to crashed runners, and it runs them
 * again.
 */
export function createJobRunner({
  databaseUrl,
  instance,
  tasks,
  everyMinute,
  log,
  retryMs = RETRY_MS,
  onStart,
}: RunnerOptions) {
  const stopController = new AbortController()
  const { signal } = stopController
  let running: Promise<void> | undefined

  async function keepRunning(): Promise<void> {
    let lastReason = ''
    while (!signal.aborted) {
      const reason = await runUntilLost().then(
        () => '',
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      )
      // One line per change, because a read-only database fails every attempt.
      if (reason && reason !== lastReason && !signal.aborted) {
        log({ reason }, 'jobs are not run, trying again')
      }
      lastReason = reason
      await sleep(retryMs, undefined, { signal }).catch(() => {})
    }
  }

  /**
   * Runs jobs until it is stopped or loses the lock. Returns immediately if another runner has the
   * lock.
   */
  async function runUntilLost(): Promise<void> {
    const pool = openDriverPool(databaseUrl, { name: 'importer', max: CONNECTIONS, instance })
    try {
      const client = await pool.connect()
      try {
        if (!(await tryRunnerLock(client)) || (await isJobSchemaPending(client))) return
        await unlockJobs(client)
        await addPeriodicJobs(client, everyMinute)
        await onStart?.()
        await runWith(pool, client)
      } finally {
        client.release(true)
      }
    } finally {
      await pool.end()
    }
  }

  async function runWith(pool: pg.Pool, client: pg.PoolClient): Promise<void> {
    const { Logger, parseCronItems, run } = await import('graphile-worker')
    // Also resolves when the runner is stopped.
    const lost = once(client, 'end', { signal }).catch(() => {})
    const cleanUp = () => void deleteOldFailures(client).catch(() => {})
    cleanUp()
    const timer = setInterval(cleanUp, CLEANUP_INTERVAL_MS)
    const runner = await run({
      pgPool: pool,
      schema: JOB_SCHEMA,
      taskList: tasks,
      parsedCronItems: parseCronItems(
        everyMinute.map((task) => {
          const options = { jobKey: task, jobKeyMode: 'replace' } as const
          return { task, match: '* * * * *', options }
        }),
      ),
      concurrency: CONNECTIONS - 1,
      noHandleSignals: true,
      gracefulShutdownAbortTimeout: ABORT_AFTER_MS,
      // Without these options, graphile-worker does not wait until a job is marked as finished. An
      // error would then be an unhandled rejection, and a job would run again if the runner was
      // stopped right after it.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      logger: new Logger(createLibraryLog(log)),
    })
    try {
      await Promise.race([lost, runner.promise])
    } finally {
      clearInterval(timer)
      await runner.stop().catch(() => {})
    }
  }

  return {
    /** Runs jobs until `stop` is called. Never rejects. */
    run(): void {
      running = keepRunning()
    },
    /** Waits for jobs in progress, or leaves them to the next runner. */
    async stop(): Promise<void> {
      stopController.abort()
      await running
    },
  }
}

/**
 * Converts a logger for the library. The library logs every step, but only its warnings and errors
 * are logged here, without stacks.
 */
function createLibraryLog(log: RunnerOptions['log']): LogFunctionFactory {
  return () => (level, message) => {
    if (level !== 'error' && level !== 'warning') return
    log({}, message.split('\n', 1)[0]?.replace(/:$/, '') ?? '')
  }
}
