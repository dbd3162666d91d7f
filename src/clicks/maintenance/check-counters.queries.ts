import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'

/** The tables whose rows are counted per account, and the names of the rows in messages. */
export const COUNTED_TABLES = {
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

/** Returns the next accounts after `last`. */
export async function listAccountIds(db: Db, last: number): Promise<number[]> {
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
export async function readCounterDifferences(
  db: Db,
  accountIds: readonly number[],
): Promise<Row[]> {
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
