import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import { BLOCK_BITS, WHOLE } from '../../db/row-counts.ts'

/** A counter of an account's rows that differs from their number. */
export type CounterDiscrepancy = {
  accountId: number
  linkId?: never
  check: string
  expected: number
  found: number
}

type Row = {
  account_id: number
  kind: keyof typeof COUNTED
  block: number
  expected: number
  found: number
}

/** What the counters of an account count. */
const COUNTED = { links: 'links', link_order: 'clicked links', qr_codes: 'QR codes' } as const
const PAGE = 100

/**
 * Recounts the links of every account and those that were clicked, in all and by blocks of ids, and its
 * QR codes, and gives each counter that differs. Each page of accounts is read from one snapshot.
 */
export async function* checkCounters(db: Db): AsyncGenerator<CounterDiscrepancy, void> {
  let last = 0
  for (;;) {
    const accounts = await db
      .selectFrom('accounts')
      .select('id')
      .where('id', '>', last)
      .orderBy('id')
      .limit(PAGE)
      .execute()
    const ids = accounts.map(({ id }) => id)
    for (const { account_id, expected, found, kind, block } of await readDifferences(db, ids)) {
      const check = `counter of ${COUNTED[kind]}${block === WHOLE ? '' : ` in block ${block}`}`
      yield { accountId: account_id, check, expected, found }
    }
    if (ids.length < PAGE) return
    last = ids.at(-1) ?? 0
  }
}

async function readDifferences(db: Db, accountIds: readonly number[]): Promise<Row[]> {
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
