import type { Task } from 'graphile-worker'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { addJob } from '../jobs/job-queue.queries.ts'
import { REPORT_TASK, type ReportJob } from './report-task.ts'
import { findLastPeriodEnd, findNextReportTime } from './schedule.ts'
import { lockDueSubscription, updateSchedule } from './subscription.queries.ts'

/** Runs every minute. */
export const REPORT_SCHEDULE_TASK = 'schedule-reports'

/** With the backoff of the queue, the attempts span about fifteen hours. */
const MAX_ATTEMPTS = 12

/**
 * Creates the task that queues all reports that are due. A report is queued in the transaction that
 * updates its schedule, so it is queued only once.
 */
export function createReportScheduleTask({ clock }: Pick<Context, 'clock'>, db: Db): Task {
  return async (_payload, { abortSignal }) => {
    while (!abortSignal?.aborted && (await queueOne(db, clock()))) {
      // Queues one report after another.
    }
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
    const { id, frequency, timeZone } = due
    const end = findLastPeriodEnd(frequency, timeZone, now.getTime())
    // After a change of the time zone, the period may already have been reported.
    if (end > due.sentUntil) {
      const payload: ReportJob = { id, frequency, end }
      const key = `${REPORT_TASK}:${id}`
      const job = { task: REPORT_TASK, payload, key, maxAttempts: MAX_ATTEMPTS }
      if (!(await addJob(tx, job))) return false
    }
    await updateSchedule(tx, id, {
      nextAt: findNextReportTime(frequency, timeZone, now.getTime()),
      sentUntil: Math.max(end, due.sentUntil),
    })
    return true
  })
}
