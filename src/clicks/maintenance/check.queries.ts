import { type Selectable, sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import type { ClickDetailTable, ClickTotalTable } from '../../db/schema/clicks.ts'
import { inTransaction, SNAPSHOT, type Tx } from '../../db/transaction.ts'
import { HASH_BYTES } from '../encoding/visitor-set.ts'

/** The numbers of one link, as they are kept and as a recount gives them. */
export type CountedLink = Pick<Selectable<ClickTotalTable>, 'link_id' | 'clicks'> &
  Pick<Selectable<ClickDetailTable>, 'visitors'> & {
    gone: boolean
    days: number
    labels: Selectable<ClickDetailTable>['labels'] | null
    hashes: number
    /** Null where not all raw clicks are kept any more. */
    raw: number | null
  }

type Counted = Omit<CountedLink, 'gone'> & { first_day: string | null }

/** Links with totals in one page. */
const PAGE = 2000
const LAST_ID = Number.MAX_SAFE_INTEGER

/**
 * The links that have rows anywhere, a page at a time, each read from one snapshot. Pages are ranges of
 * ids that end at a link with totals, or never, so that rows without totals are met in one of them.
 */
export async function* countedLinks(db: Db): AsyncGenerator<CountedLink[], void> {
  for (let last = 0; last < LAST_ID; ) {
    const { rows, end } = await inTransaction(db, (tx) => readPage(tx, last), SNAPSHOT)
    yield rows
    last = end
  }
}

async function readPage(tx: Tx, last: number): Promise<{ rows: CountedLink[]; end: number }> {
  const end = await findEnd(tx, last)
  const since = await findOldestDay(tx)
  const counted = await countRange(tx, last, end)
  const ids = counted.map(({ link_id }) => link_id)
  const existing = await findIds(tx, 'links', 'id', ids)
  const removed = await findIds(tx, 'removed_links', 'link_id', ids)
  const rows = counted
    .filter(({ link_id }) => !removed.has(link_id))
    .map(({ first_day, raw, ...row }) => ({
      ...row,
      gone: !existing.has(row.link_id),
      raw: since !== null && (first_day ?? since) >= since ? raw : null,
    }))
  return { rows, end }
}

/** The last id of the range that begins after `last`. */
async function findEnd(tx: Tx, last: number): Promise<number> {
  const row = await tx
    .selectFrom('click_totals')
    .select('link_id')
    .where('link_id', '>', last)
    .orderBy('link_id')
    .offset(PAGE - 1)
    .limit(1)
    .executeTakeFirst()
  return row?.link_id ?? LAST_ID
}

/** The first day of which raw clicks are kept. */
async function findOldestDay(tx: Tx): Promise<string | null> {
  const { rows } = await sql<{ since: string | null }>`
    select min(substring(pg_get_expr(c.relpartbound, c.oid) from '''([0-9-]+)')) as since
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'clicks'::regclass`.execute(tx)
  return rows[0]?.since ?? null
}

/**
 * All that is stored of the links in a range, added up by link. Nothing is joined, so that each machine
 * of a cluster adds up its own.
 */
async function countRange(tx: Tx, after: number, end: number): Promise<Counted[]> {
  const within = sql`link_id > ${after}::bigint and link_id <= ${end}::bigint`
  const { rows } = await sql<Counted>`
    select link_id, sum(clicks)::bigint as clicks, sum(visitors)::bigint as visitors,
      sum(days)::bigint as days, min(first_day)::text as first_day,
      (array_agg(labels) filter (where labels is not null))[1] as labels,
      sum(bytes)::float8 / ${sql.lit(HASH_BYTES)} as hashes, sum(raw)::bigint as raw
    from (
      select link_id, clicks, 0::bigint as visitors, 0::bigint as days, null::date as first_day,
        null::bytea as labels, 0::bigint as bytes, 0::bigint as raw
      from click_totals where ${within}
      union all
      select link_id, 0, visitors, 0, null, labels, length(hashes), 0
      from click_details where ${within}
      union all
      select link_id, 0, 0, sum(clicks)::bigint, min(day), null, 0, 0
      from click_days where ${within} group by link_id
      union all
      select link_id, 0, 0, 0, null, null, sum(length(hashes)), 0
      from click_visitors where ${within} group by link_id
      union all
      select link_id, 0, 0, 0, null, null, 0, count(*) filter (where not crawler)
      from clicks where ${within} group by link_id
      union all
      -- Counted elsewhere, so there are no raw clicks of them.
      select link_id, 0, 0, 0, null, null, 0, clicks from click_imports where ${within}
    ) stored
    group by link_id order by link_id`.execute(tx)
  return rows
}

async function findIds(
  tx: Tx,
  table: 'links' | 'removed_links',
  column: 'id' | 'link_id',
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ id: number }>`
    select ${sql.ref(column)} as id from ${sql.table(table)}
    where ${sql.ref(column)} = any(${[...ids]}::bigint[])`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}
