import type pg from 'pg'
import type { Clock } from '../../clock.ts'
import { MAINTENANCE_LOCK } from '../../db/lock.ts'
import { createPartitions, dropPartitions, monthOf, oldestMonth } from './partitions.ts'
import { purgeRemoved } from './purge.ts'
import { rankLargeAccounts } from './rank-accounts.ts'

export type ClickLog = Record<'info' | 'warn' | 'error', (details: object, text: string) => void>

type HousekeepingOptions = {
  pool: pg.Pool
  clock: Clock
  log: Pick<ClickLog, 'info' | 'warn'>
  retentionDays: number
}

const MINUTE = 60_000
const HOUR = 3_600_000
const DAY = 86_400_000
/** Second half of MAINTENANCE_LOCK. */
const EXPIRED_ROWS = 1

/**
 * What somebody has to do now and then: raw clicks past their retention are dropped, the partition of
 * the coming month is made before it is needed, large accounts get their counters, and rows that have
 * served their time are deleted.
 */
export function createHousekeeping({ pool, clock, log, retentionDays }: HousekeepingOptions) {
  let nextMinute = 0
  let nextHour = 0
  let nextDay = 0
  let running: Promise<void> | undefined

  /** Begins what is due and does not wait for it: imports go on meanwhile. */
  function start(signal: AbortSignal): void {
    const now = clock()
    if (running !== undefined || now.getTime() < nextMinute) return
    nextMinute = now.getTime() + MINUTE
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
    if (now.getTime() >= nextHour) {
      await rankLargeAccounts(pool)
      nextHour = now.getTime() + HOUR
    }
    if (now.getTime() < nextDay) return
    await createPartitions(pool, [monthOf(now.getTime()), monthOf(now.getTime()) + 1])
    const { dropped, left } = await dropPartitions(pool, oldestMonth(now, retentionDays))
    if (dropped > 0) log.info({ months: dropped }, 'raw clicks past their retention were dropped')
    if (left === 0) nextDay = now.getTime() + DAY
  }

  return { start, end }
}

/** Deletes windows of the rate limit and kept replies that no request can meet any more. */
async function deleteExpired(pool: pg.Pool): Promise<void> {
  const mine = `(select pg_try_advisory_xact_lock(${MAINTENANCE_LOCK}, ${EXPIRED_ROWS}))`
  await pool.query(
    `delete from rate_windows where started_at < now() - interval '5 minutes' and ${mine}`,
  )
  await pool.query(
    `delete from idempotency_keys where created_at < now() - interval '24 hours' and ${mine}`,
  )
}
