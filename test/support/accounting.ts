import { checkStatistics, type Discrepancy } from '../../src/clicks/read.ts'
import type { Database } from '../../src/db/pool.ts'
import { createVisitorHash } from '../../src/visitors/visitor-hash.ts'
import { addressOf } from './load.ts'
import { until } from './processes.ts'
import { rawClicks } from './raw-clicks.ts'

/** The outcome of the visits of one load. */
export type Balance = {
  /** The number of visits sent. */
  sent: number
  /** The number of visits that were redirected. */
  acknowledged: number
  /** Rows of clicks, including those of recorded visits that were never acknowledged. */
  recorded: number
  /** Acknowledged visits without a row. */
  lost: number[]
  /** Rows in addition to the first one of a visit. */
  duplicated: number
  /** Rows that match no visit of this or an earlier load. */
  foreign: number
  /** The difference between the sum of all links' counters and the number of rows. */
  miscounted: number
  discrepancies: Discrepancy[]
}

/** The visits of one load: their identities are the `sent` numbers up to and including `last`. */
type Visits = { acknowledged: ReadonlySet<number>; sent: number; last: number }

/** Compares every visit of a load with its rows in the database. */
export async function balanceOf(
  { db, pool }: Database,
  visitorKey: Buffer,
  { acknowledged, sent, last }: Visits,
): Promise<Balance> {
  const hash = createVisitorHash(visitorKey)
  const rows = await countRowsByVisitor(pool)
  const lost: number[] = []
  let recorded = 0
  let recordedVisitors = 0
  let matchedVisitors = 0
  let rowCount = 0
  for (let identity = 1; identity <= last; identity += 1) {
    const count = rows.get(visitorOf(hash, identity)) ?? 0
    matchedVisitors += Math.min(count, 1)
    const isOfEarlierLoad = identity <= last - sent
    if (isOfEarlierLoad) continue
    if (count === 0 && acknowledged.has(identity)) lost.push(identity)
    recorded += count
    recordedVisitors += Math.min(count, 1)
  }
  for (const count of rows.values()) rowCount += count
  const { rows: totals } = await pool.query<{ clicks: number }>(
    'select coalesce(sum(clicks), 0)::float8 as clicks from click_totals',
  )
  return {
    sent,
    acknowledged: acknowledged.size,
    recorded,
    lost,
    duplicated: recorded - recordedVisitors,
    foreign: rows.size - matchedVisitors,
    miscounted: (totals[0]?.clicks ?? 0) - rowCount,
    discrepancies: await Array.fromAsync(checkStatistics(db)),
  }
}

/** Waits until every acknowledged visit is in the database. */
export async function untilImported(
  { pool }: Database,
  visitorKey: Buffer,
  { acknowledged }: Visits,
): Promise<void> {
  const hash = createVisitorHash(visitorKey)
  const expected = [...acknowledged].map((identity) => visitorOf(hash, identity))
  const haveArrived = async () => {
    const rows = await countRowsByVisitor(pool)
    return expected.every((visitor) => rows.has(visitor))
  }
  await until('every click is imported', haveArrived, { timeoutMs: 60_000, intervalMs: 500 })
}

function visitorOf(hash: ReturnType<typeof createVisitorHash>, identity: number): string {
  return hash(addressOf(identity), '').toString()
}

/** Returns the number of rows of each visitor, without visits that do not count. */
async function countRowsByVisitor(pool: Database['pool']): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const { visitor, crawler } of await rawClicks(pool)) {
    if (crawler) continue
    counts.set(visitor, (counts.get(visitor) ?? 0) + 1)
  }
  return counts
}

/** The header of the table whose rows `formatTableRow` returns. */
export const tableHead = formatRow([
  'fault',
  'times',
  'sent',
  'acknowledged',
  'recorded',
  'lost',
  'duplicated',
  'statistics',
])

/** Returns a table row with the outcome of a fault that occurred this many `times`. */
export function formatTableRow(fault: string, times: number, balance: Balance): string {
  const { sent, acknowledged, recorded, lost, duplicated, discrepancies } = balance
  const statistics = discrepancies.length === 0 ? 'right' : `${discrepancies.length} wrong`
  return formatRow([
    fault,
    times,
    sent,
    acknowledged,
    recorded,
    lost.length,
    duplicated,
    statistics,
  ])
}

function formatRow([fault, ...columns]: readonly (string | number)[]): string {
  return [String(fault).padEnd(34), ...columns.map((column) => String(column).padStart(12))].join(
    ' ',
  )
}
