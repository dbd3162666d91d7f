import type { Clock } from '../../clock.ts'
import type { Db } from '../../db/pool.ts'
import { monthOf, oldestMonth } from '../storage/months.ts'
import { createPartitions, dropPartitions } from '../storage/partitions.ts'
import { compactRawClicks } from './compact.ts'
import { purgeRemovedClicks } from './purge.ts'
import { removeUnusedLabels } from './unused-labels.ts'

export type ClickLog = Record<'info' | 'warn' | 'error', (details: object, text: string) => void>

type HousekeepingOptions = {
  db: Db
  clock: Clock
  log: Pick<ClickLog, 'info' | 'warn'>
  retentionDays: number
  /** Tasks that run every minute, one after the other. */
  tasks: readonly PeriodicTask[]
}

/** A task that stops early if the signal aborts. */
export type PeriodicTask = (signal: AbortSignal) => Promise<void>

const INTERVAL_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000

/**
 * Runs periodic tasks in parallel with imports. Runs `tasks`; deletes the clicks of removed links,
 * expired raw clicks and unused labels; and, once a day, creates the partitions of this and the
 * next month and compacts raw clicks.
 */
export function createHousekeeping({ db, clock, log, retentionDays, tasks }: HousekeepingOptions) {
  let lastRunAt = -Infinity
  let lastSweepAt = -Infinity
  let lastDailyRunAt = -Infinity
  let running: Promise<void> | undefined
  let sweeping: Promise<void> | undefined

  /** Starts due tasks without waiting for them, so that imports continue. */
  function start(signal: AbortSignal): void {
    const now = clock()
    if (sweeping === undefined && isDue(lastSweepAt, HOUR_MS, now)) {
      lastSweepAt = now.getTime()
      sweeping = sweepLabels(signal).finally(() => {
        sweeping = undefined
      })
    }
    if (running !== undefined || !isDue(lastRunAt, INTERVAL_MS, now)) return
    lastRunAt = now.getTime()
    running = runTasks(now, signal)
      .catch((error) => log.warn({ err: error }, 'housekeeping failed'))
      .finally(() => {
        running = undefined
      })
  }

  /** Resolves when no task is running. */
  async function end(): Promise<void> {
    await Promise.all([running, sweeping])
  }

  /** Deletes unused labels. Runs in parallel with other tasks, because it may take minutes. */
  async function sweepLabels(signal: AbortSignal): Promise<void> {
    try {
      const deleted = await removeUnusedLabels(db, signal)
      if (deleted > 0) log.info({ labels: deleted }, 'unused labels were deleted')
    } catch (error) {
      log.warn({ err: error }, 'unused labels could not be deleted')
    }
  }

  async function runTasks(now: Date, signal: AbortSignal): Promise<void> {
    for (const task of tasks) await task(signal)
    await purgeRemovedClicks(db, { signal })
    if (signal.aborted) return
    if (!isDue(lastDailyRunAt, DAY_MS, now)) return
    await createPartitions(db, [monthOf(now.getTime()), monthOf(now.getTime()) + 1])
    const { dropped, remaining } = await dropPartitions(db, oldestMonth(now, retentionDays))
    if (dropped > 0) log.info({ months: dropped }, 'raw clicks past their retention were dropped')
    await compactRawClicks(db, now, signal)
    if (remaining === 0) lastDailyRunAt = now.getTime()
  }

  return { start, end }
}

/**
 * Returns whether a task is due. If the last run (in milliseconds since 1970) is in the future, the
 * clock was ahead, and the task is due.
 */
export function isDue(last: number, intervalMs: number, now: Date): boolean {
  const elapsedMs = now.getTime() - last
  return elapsedMs >= intervalMs || elapsedMs < 0
}
