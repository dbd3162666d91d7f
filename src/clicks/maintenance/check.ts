import { sql } from 'kysely'
import { prefetch } from '../../concurrency/limit.ts'
import type { Db } from '../../db/pool.ts'
import { readStoredRanges } from './check.queries.ts'
import { checkAccountDays, compareDays, type DayDiscrepancy } from './check-days.ts'
import { checkLinkOrder, type OrderDiscrepancy } from './check-link-order.ts'
import { compareLinks, type LinkDiscrepancy } from './check-links.ts'

/** The tables whose rows are counted per account, and the names of the rows in messages. */
const COUNTED_TABLES = {
  links: 'links',
  qr_codes: 'QR codes',
  bio_pages: 'bio pages',
} as const

const PAGE_SIZE = 100

/** A stored counter (`found`) that differs from the number of rows (`expected`). */
type Row = {
  account_id: number
  kind: keyof typeof COUNTED_TABLES
  expected: number
  found: number
}

/** A counter of an account that differs from the number of rows. */
type CounterDiscrepancy = {
  accountId: number
  linkId?: never
  check: string
  expected: number
  found: number
}

/** A number that differs from its expected value. `linkId` or `accountId` says where. */
export type Discrepancy = LinkDiscrepancy | DayDiscrepancy | OrderDiscrepancy | CounterDiscrepancy

/**
 * Recounts all statistics and yields the differences. Compares:
 *
 * - days, labels and visitors of every link with its totals
 * - raw and imported clicks with the totals, if all raw clicks are still stored
 * - rows of links with the links that exist
 * - labels and hours of every day with its clicks, and new visitors of all days with the link's
 *   visitors
 * - days of accounts, the order of lists by clicks, and the counters of lists
 *
 * Each range of links is read from one snapshot, so this is safe to run at any time. It reads every
 * raw click and therefore needs a long statement timeout.
 */
export async function* checkStatistics(db: Db): AsyncGenerator<Discrepancy, void> {
  for await (const range of prefetch(readStoredRanges(db))) {
    yield* compareLinks(range)
    yield* compareDays(range.days, range.removed)
  }
  yield* checkAccountDays(db)
  yield* checkLinkOrder(db)
  yield* checkCounters(db)
}

/**
 * Recounts the links, QR codes and bio pages of every account and yields the counters that differ.
 * Each page of accounts is read from one snapshot.
 */
export async function* checkCounters(db: Db): AsyncGenerator<CounterDiscrepancy, void> {
  let last = 0
  for (;;) {
    const ids = await listAccountIds(db, last)
    for (const { account_id, expected, found, kind } of await readCounterDifferences(db, ids)) {
      yield { accountId: account_id, check: `counter of ${COUNTED_TABLES[kind]}`, expected, found }
    }
    if (ids.length === 0) return
    last = ids.at(-1) ?? 0
  }
}

/** Returns the next accounts after `last`. */
async function listAccountIds(db: Db, last: number): Promise<number[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '>', last)
    .orderBy('id')
    .limit(PAGE_SIZE)
    .execute()
  return rows.map(({ id }) => id)
}

/** Returns the counters of these accounts that differ from a recount. */
async function readCounterDifferences(db: Db, accountIds: readonly number[]): Promise<Row[]> {
  const ids = sql`any(${[...accountIds]}::bigint[])`
  const kinds = sql`any(${Object.keys(COUNTED_TABLES)}::text[])`
  const { rows } = await sql<Row>`
    with counted as (
      select account_id, 'links' as kind, count(*) as rows from links
      where kind = 'link' and account_id = ${ids} group by account_id
      union all
      select account_id, 'qr_codes', count(*) from qr_codes
      where account_id = ${ids} group by account_id
      union all
      select account_id, 'bio_pages', count(*) from bio_pages
      where account_id = ${ids} group by account_id
    ), stored as (
      select owner_id as account_id, kind, rows from row_counts
      where kind = ${kinds} and owner_id = ${ids}
    )
    select account_id, kind, sum(expected)::bigint as expected, sum(found)::bigint as found
    from (
      select account_id, kind, rows as expected, 0 as found from counted
      union all
      select account_id, kind, 0, rows from stored
    ) each
    group by account_id, kind having sum(expected) <> sum(found)
    order by account_id, kind`.execute(db)
  return rows
}
