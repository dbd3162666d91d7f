import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LogFunctionFactory, TaskList } from 'graphile-worker'
import type pg from 'pg'
import { createRepetitionCheck } from '../concurrency/memo.ts'
import type { Log } from '../context.ts'
import type { Identity } from '../db/connection-check.ts'
import { type DriverPool, openDriverPool } from '../db/driver-pool.ts'
import { isJobSchemaPending, JOB_SCHEMA } from '../db/job-schema.ts'
import {
  addPeriodicJobs,
  deleteOldFailures,
  tryRunnerLock,
  unlockJobs,
} from './job-queue.queries.ts'

/** Milliseconds until the next attempt to become the runner, and until a restart after an error. */
const RETRY_MS = 5000
/** Milliseconds between checks of the connection that holds the lock, and for its answer. */
const PING_MS = 30_000
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
  pingMs?: number
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
  pingMs = PING_MS,
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

  async function runWith(pool: DriverPool, client: pg.PoolClient): Promise<void> {
    const { Logger, parseCronItems, run } = await import('graphile-worker')
    // Also resolves when the runner is stopped.
    const lost = once(client, 'end', { signal }).catch(() => {})
    let silence: Error | undefined
    // A connection looks open even after its server vanishes, and then all queries wait.
    const ping = () => {
      const query = { text: 'select', query_timeout: pingMs }
      client.query(query).catch(() => {
        silence = new Error('the database did not respond')
        pool.destroy()
      })
    }
    const cleanUp = () => void deleteOldFailures(client).catch(() => {})
    cleanUp()
    const timers = [setInterval(cleanUp, CLEANUP_INTERVAL_MS), setInterval(ping, pingMs)]
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
      logger: new Logger(
        createLibraryLog((fields, text) => {
          // Otherwise, one line about the silence follows.
          if (!silence) log(fields, text)
        }),
      ),
    })
    try {
      await Promise.race([lost, runner.promise])
    } finally {
      timers.forEach(clearInterval)
      await runner.stop().catch(() => {})
    }
    if (silence) throw silence
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
 * are logged here, without stacks, and the same one at most once a minute.
 */
function createLibraryLog(log: RunnerOptions['log']): LogFunctionFactory {
  const isNews = createRepetitionCheck()
  return () => (level, message) => {
    if (level !== 'error' && level !== 'warning') return
    const text = message.split('\n', 1)[0]?.replace(/:$/, '') ?? ''
    // Each attempt has another number and another pause.
    if (isNews(text.replaceAll(/[\d.]+/g, ''))) log({}, text)
  }
}
