import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { addJob } from '../jobs/job-queue.queries.ts'
import { REPORT_TASK, type ReportJob } from './report-task.ts'
import { findLastPeriodEnd, findNextReportTime } from './schedule.ts'
import { lockDueSubscription, updateSchedule } from './subscription.queries.ts'

const CHECK_INTERVAL_MS = 60_000
/** With the backoff of the queue, the attempts span about fifteen hours. */
const MAX_ATTEMPTS = 12

type Dependencies = Pick<Context, 'clock' | 'log'>

/**
 * Creates the worker that queues reports when they are due. Every importer runs one. A report is
 * queued in the transaction that updates its schedule, so it is queued only once.
 */
export function createReportScheduler({ clock, log }: Dependencies, db: Db) {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let isStopped = false

  async function queueDueReports(): Promise<void> {
    try {
      while (!isStopped && (await queueOne(db, clock()))) {
        // Queues one report after another.
      }
    } catch (error) {
      log({ err: error }, 'email reports could not be queued, trying again')
    }
  }

  return {
    run(): void {
      running = queueDueReports()
      timer = setInterval(() => {
        running = running.then(queueDueReports)
      }, CHECK_INTERVAL_MS)
    },
    async stop(): Promise<void> {
      isStopped = true
      clearInterval(timer)
      await running
    },
  }
}

/**
 * Queues the next report that is due, unless it was sent already, and updates its schedule. Returns
 * false if none is due or the queue is full.
 */
async function queueOne(db: Db, now: Date): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const due = await lockDueSubscription(tx, now)
    if (!due) return false
    const { accountId, userId, frequency, timeZone } = due
    const end = findLastPeriodEnd(frequency, timeZone, now.getTime())
    // After a change of the time zone, the period may already have been reported.
    if (end > due.sentUntil) {
      const payload: ReportJob = { accountId, userId, frequency, end }
      const key = `${REPORT_TASK}:${accountId}:${userId}`
      const job = { task: REPORT_TASK, payload, key, maxAttempts: MAX_ATTEMPTS }
      if (!(await addJob(tx, job))) return false
    }
    await updateSchedule(tx, due, {
      nextAt: findNextReportTime(frequency, timeZone, now.getTime()),
      sentUntil: Math.max(end, due.sentUntil),
    })
    return true
  })
}
