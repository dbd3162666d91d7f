import { setImmediate as turn } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Clock } from '../../clock.ts'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'
import { unpackCounts } from '../encoding/label-counts.ts'
import { isFixedKind, KIND } from '../encoding/label-kinds.ts'
import { eachClick } from '../encoding/raw-clicks.ts'
import { monthOf, oldestMonth } from '../storage/months.ts'
import { listPartitions } from '../storage/partitions.queries.ts'
import { createPartitions, dropPartitions } from '../storage/partitions.ts'
import { purgeRemovedClicks } from './purge.ts'
import {
  findLastLabel,
  markOrDeleteUnused,
  readLabelPages,
  readPackedLabels,
  readRawClicksOfMonth,
  startRound,
  unmarkUsed,
} from './unused-labels.queries.ts'

const namedKinds = Object.values(KIND).filter((kind) => !isFixedKind(kind))

/** The number of days between two rounds. Each round reads all tables with labels. */
const INTERVAL_DAYS = 7

/** The number of past days to compact: more than one, because clicks may arrive late. */
const DAYS = 3

/** Links with fewer rows per day are skipped. */
const MIN_ROWS = 8

/** Links per statement. */
const LINKS_PER_STATEMENT = 200

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
const MAX_AHEAD_MS = 2 * DAY_MS

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
    const oldest = oldestMonth(await notAfterDatabase(now), retentionDays)
    const { dropped, remaining } = await dropPartitions(db, oldest)
    if (dropped > 0) log.info({ months: dropped }, 'raw clicks past their retention were dropped')
    await compactRawClicks(db, now, signal)
    if (remaining === 0) lastDailyRunAt = now.getTime()
  }

  /**
   * Returns the time of the database if this machine's clock is days ahead: a wrong clock must not
   * delete clicks.
   */
  async function notAfterDatabase(now: Date): Promise<Date> {
    const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db)
    const databaseNow = rows[0]?.now ?? now
    const aheadMs = now.getTime() - databaseNow.getTime()
    if (aheadMs < MAX_AHEAD_MS) return now
    log.warn(
      { seconds: Math.round(aheadMs / 1000) },
      'the clock of this machine is ahead of that of the database',
    )
    return databaseNow
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

/**
 * Joins the raw clicks of past days into one row per link and day. Clicks arrive one by one, and
 * reading a million short rows takes several times as long as reading a million clicks from a few
 * rows. Returns the number of rows created. Stops early if the signal aborts. Safe to run
 * concurrently.
 */
export async function compactRawClicks(db: Db, now: Date, signal?: AbortSignal): Promise<number> {
  const today = Math.floor(now.getTime() / 86_400_000)
  let joined = 0
  for (let day = today - DAYS; day < today; day += 1) {
    const linkIds = await findLinksWithRows(db, day, MIN_ROWS)
    for (let start = 0; start < linkIds.length; start += LINKS_PER_STATEMENT) {
      if (signal?.aborted) return joined
      const chunk = linkIds.slice(start, start + LINKS_PER_STATEMENT)
      await joinRows(db, day, chunk)
      joined += chunk.length
    }
  }
  return joined
}

/**
 * Returns the links that have at least `minRows` rows of raw clicks on a day (in days since 1970).
 */
async function findLinksWithRows(db: Db, day: number, minRows: number): Promise<number[]> {
  const rows = await db
    .selectFrom('clicks')
    .select('link_id')
    .where('day', '=', dateOf(day))
    .groupBy('link_id')
    .having(({ fn }) => fn.countAll(), '>=', minRows)
    .orderBy('link_id')
    .execute()
  return rows.map(({ link_id }) => link_id)
}

/**
 * Joins each link's raw clicks of a day into one row by concatenating their blocks. Runs a single
 * statement, so that no concurrent click is lost.
 */
async function joinRows(db: Db, day: number, linkIds: readonly number[]): Promise<void> {
  await db
    .with('old', (cte) =>
      cte
        .deleteFrom('clicks')
        .where('day', '=', dateOf(day))
        .where('link_id', '=', sql<number>`any(${int8Array(linkIds)}::bigint[])`)
        .returning(['account_id', 'link_id', 'day', 'clicks', 'blocks']),
    )
    .insertInto('clicks')
    .columns(['account_id', 'link_id', 'day', 'clicks', 'blocks'])
    .expression((eb) =>
      eb
        .selectFrom('old')
        .select(['account_id', 'link_id', 'day'])
        .select([
          sql<number>`sum(clicks)::integer`.as('clicks'),
          sql<Buffer>`string_agg(blocks, '')`.as('blocks'),
        ])
        .groupBy(['account_id', 'link_id', 'day']),
    )
    .execute()
}

function dateOf(day: number) {
  return sql<string>`date '1970-01-01' + ${day}::integer`
}

/**
 * Deletes unused labels, once a week across all processes. A label that is found unused for the
 * first time is only marked, because a running import may have looked it up. Returns the number of
 * deleted labels. Stops early if the signal aborts.
 */
export async function removeUnusedLabels(db: Db, signal?: AbortSignal): Promise<number> {
  if (!(await startRound(db, INTERVAL_DAYS))) return 0
  const last = await findLastLabel(db)
  const used = createNumberSet(last)
  for await (const packed of readPackedLabels(db)) {
    for (const { kind, label } of unpackCounts(packed)) if (!isFixedKind(kind)) used.add(label)
    if (signal?.aborted) return 0
  }
  for (const month of await listPartitions(db)) {
    for await (const blocks of readRawClicksOfMonth(db, month)) {
      eachClick(blocks, ({ labels }) => {
        for (const kind of namedKinds) used.add(labels[kind] as number)
      })
      if (signal?.aborted) return 0
      await turn()
    }
  }
  let deleted = 0
  for await (const labels of readLabelPages(db, last)) {
    await unmarkUsed(db, labels.filter(used.has))
    deleted += await markOrDeleteUnused(
      db,
      labels.filter((label) => !used.has(label)),
    )
    if (signal?.aborted) break
    await turn()
  }
  return deleted
}

/** Creates a set of numbers up to `last` that uses one bit per number. */
function createNumberSet(last: number) {
  const bits = new Uint8Array((last >> 3) + 1)
  return {
    add(number: number): void {
      if (number <= last) bits[number >> 3] = (bits[number >> 3] as number) | (1 << (number & 7))
    },
    has: (number: number): boolean => ((bits[number >> 3] as number) & (1 << (number & 7))) !== 0,
  }
}
