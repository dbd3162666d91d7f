import type pg from 'pg'
import type { Clock } from '../../clock.ts'
import { MAINTENANCE_LOCK } from '../../db/lock.ts'
import { createPartitions, dropPartitions, monthOf, oldestMonth } from './partitions.ts'
import { purgeRemoved } from './purge.ts'

export type ClickLog = Record<'info' | 'warn' | 'error', (details: object, text: string) => void>

type HousekeepingOptions = {
  pool: pg.Pool
  clock: Clock
  log: Pick<ClickLog, 'info' | 'warn'>
  retentionDays: number
}

const MINUTE = 60_000
const DAY = 86_400_000
/** Second half of MAINTENANCE_LOCK. */
const EXPIRED_ROWS = 1

/**
 * What somebody has to do now and then: raw clicks past their retention are dropped, the partition of
 * the coming month is made before it is needed, and rows that have served their time are deleted.
 */
export function createHousekeeping({ pool, clock, log, retentionDays }: HousekeepingOptions) {
  let lastMinute = -Infinity
  let lastDay = -Infinity
  let running: Promise<void> | undefined

  /** Begins what is due and does not wait for it: imports go on meanwhile. */
  function start(signal: AbortSignal): void {
    const now = clock()
    if (running !== undefined || !isDue(lastMinute, MINUTE, now)) return
    lastMinute = now.getTime()
    running = work(now, signal)
      .catch((error) => log.warn({ err: error }, 'housekeeping failed'))
      .finally(() => {
        running = undefined
      })
  }

  /** Resolves when nothing is being done any more. */
  async function end(): Promise<void> {
    await running
  }

  async function work(now: Date, signal: AbortSignal): Promise<void> {
    await deleteExpired(pool)
    await purgeRemoved(pool, signal)
    if (!isDue(lastDay, DAY, now)) return
    await createPartitions(pool, [monthOf(now.getTime()), monthOf(now.getTime()) + 1])
    const { dropped, left } = await dropPartitions(pool, oldestMonth(now, retentionDays))
    if (dropped > 0) log.info({ months: dropped }, 'raw clicks past their retention were dropped')
    if (left === 0) lastDay = now.getTime()
  }

  return { start, end }
}

/** Also due is what was last done at a moment to come, because the clock was ahead then. */
export function isDue(last: number, every: number, now: Date): boolean {
  const passed = now.getTime() - last
  return passed >= every || passed < 0
}

/** Deletes windows of the rate limit and kept replies that no request can meet any more. */
async function deleteExpired(pool: pg.Pool): Promise<void> {
  const mine = `(select pg_try_advisory_xact_lock(${MAINTENANCE_LOCK}, ${EXPIRED_ROWS}))`
  await pool.query(
    `delete from rate_windows where ${mine}
     and started_at not between now() - interval '5 minutes' and now() + interval '5 minutes'`,
  )
  await pool.query(
    `delete from idempotency_keys where created_at < now() - interval '24 hours' and ${mine}`,
  )
}
