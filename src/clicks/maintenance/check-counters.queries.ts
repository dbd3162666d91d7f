import { type Selectable, sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import { BLOCK_BITS, WHOLE } from '../../db/row-counts.queries.ts'
import type { RowCountTable } from '../../db/schema/accounts.ts'

/** What the counters of an account count. */
export const COUNTED = {
  links: 'links',
  link_order: 'clicked links',
  qr_codes: 'QR codes',
} as const
const PAGE = 100

type Row = Pick<Selectable<RowCountTable>, 'block'> & {
  account_id: number
  kind: keyof typeof COUNTED
  expected: number
  found: number
}

/** The next accounts after `last`. */
export async function listAccountIds(db: Db, last: number): Promise<number[]> {
  const rows = await db
    .selectFrom('accounts')
    .select('id')
    .where('id', '>', last)
    .orderBy('id')
    .limit(PAGE)
    .execute()
  return rows.map(({ id }) => id)
}

/** The counters of these accounts that differ from a recount. */
export async function readCounterDifferences(
  db: Db,
  accountIds: readonly number[],
): Promise<Row[]> {
  const ids = sql`any(${[...accountIds]}::bigint[])`
  const kinds = sql`any(${Object.keys(COUNTED)}::text[])`
  const { rows } = await sql<Row>`
    with counted as (
      select account_id, 'links' as kind, block, count(*) as rows
      from links cross join lateral ${blocksOf('id')}
      where kind = 'link' and account_id = ${ids} group by account_id, block
      union all
      select account_id, 'link_order', block, count(*)
      from link_order cross join lateral ${blocksOf('link_id')}
      where account_id = ${ids} group by account_id, block
      union all
      select account_id, 'qr_codes', ${sql.lit(WHOLE)}, count(*) from qr_codes
      where account_id = ${ids} group by account_id
    ), kept as (
      select owner_id as account_id, kind, block, rows from row_counts
      where kind = ${kinds} and owner_id = ${ids}
    )
    select account_id, kind, block,
      sum(expected)::bigint as expected, sum(found)::bigint as found
    from (
      select account_id, kind, block, rows as expected, 0 as found from counted
      union all
      select account_id, kind, block, 0, rows from kept
    ) each
    group by account_id, kind, block having sum(expected) <> sum(found)
    order by account_id, kind, block`.execute(db)
  return rows
}

/** The blocks that count a row. */
function blocksOf(id: string) {
  const block = sql`${sql.ref(id)} >> ${sql.lit(BLOCK_BITS)}`
  return sql`(values (${sql.lit(WHOLE)}::bigint), (${block})) b (block)`
}
