import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import { BLOCK_BITS, WHOLE } from '../../db/row-counts.ts'
import { STARTS } from './click-ranks.queries.ts'
import { EXACT } from './click-ranks.ts'

/** A counter of an account's links that differs from their number. */
export type CounterDiscrepancy = {
  accountId: number
  linkId?: never
  check: string
  expected: number
  found: number
}

type Row = {
  account_id: number
  /** Null for counters that ask for no clicks. */
  bucket: number | null
  block: number
  expected: number
  found: number
}

const PAGE = 100

/**
 * Recounts the links of every account, in all and by blocks of ids and clicks, and gives each counter
 * that differs. Each page of accounts is read from one snapshot.
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
    for (const { account_id, expected, found, ...counter } of await readDifferences(db, ids)) {
      yield { accountId: account_id, check: nameOf(counter), expected, found }
    }
    if (ids.length < PAGE) return
    last = ids.at(-1) ?? 0
  }
}

function nameOf({ bucket, block }: Pick<Row, 'bucket' | 'block'>): string {
  const clicks = bucket === null ? '' : ` by clicks (${bucket})`
  return `counter of links${clicks}${block === WHOLE ? '' : ` in block ${block}`}`
}

async function readDifferences(db: Db, accountIds: readonly number[]): Promise<Row[]> {
  const ids = sql`any(${[...accountIds]}::bigint[])`
  const { rows } = await sql<Row>`
    with counted as (
      select account_id, null::integer as bucket, block, 1 as links from links
      cross join lateral (values (${WHOLE}), (id >> ${BLOCK_BITS})) b (block)
      where kind = 'link' and account_id = ${ids}
      union all
      select account_id, bucket,
        case when bucket < ${EXACT} then link_id >> ${BLOCK_BITS} else ${WHOLE} end, change
      from click_totals
      cross join lateral (
        values (0, -1), (width_bucket(clicks, ${STARTS}::bigint[]), 1)
      ) each (bucket, change)
      where listed and clicks > 0 and account_id = ${ids}
        and account_id in (select account_id from ranked_accounts)
    ), kept as (
      select owner_id as account_id, null::integer as bucket, block, rows as links from row_counts
      where kind = 'links' and owner_id = ${ids}
      union all
      select account_id, bucket, block, links from link_ranks where account_id = ${ids}
    )
    select account_id, bucket, block,
      sum(expected)::bigint as expected, sum(found)::bigint as found
    from (
      select account_id, bucket, block, links as expected, 0 as found from counted
      union all
      select account_id, bucket, block, 0, links from kept
    ) each
    group by account_id, bucket, block having sum(expected) <> sum(found)
    order by account_id, bucket nulls first, block`.execute(db)
  return rows
}
