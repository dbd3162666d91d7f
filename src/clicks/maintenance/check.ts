import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import { KIND, unpackCounts } from '../encoding/label-counts.ts'
import { HASH_BYTES } from '../encoding/visitor-set.ts'
import { type CounterDiscrepancy, checkCounters } from './check-counters.ts'
import { checkLinkOrder, type OrderDiscrepancy } from './check-link-order.ts'

/** One number that differs from what it should be; `linkId` or `accountId` is where to look. */
export type Discrepancy = LinkDiscrepancy | OrderDiscrepancy | CounterDiscrepancy

type LinkDiscrepancy = {
  linkId: number
  accountId?: never
  check: string
  expected: number
  found: number
}

type Row = {
  link_id: number
  gone: boolean
  clicks: number
  visitors: number
  days: number
  labels: Buffer | null
  hashes: number
  raw: number | null
}

const PAGE = 200
const TABLES = ['click_totals', 'click_days', 'click_details', 'click_visitors', 'clicks']

/**
 * Recounts the statistics of every link and gives each difference it finds: days, labels of each kind
 * and visitors against the totals; raw clicks against the totals where all of them are still kept;
 * and rows of links that do not exist; then the order of lists by clicks, and the counters of lists.
 * Each page of links is read from one snapshot, so that it can run beside everything else. It reads
 * every raw click: the statement timeout has to allow for that.
 */
export async function* checkStatistics(db: Db): AsyncGenerator<Discrepancy, void> {
  let last = 0
  for (;;) {
    const rows = await readPage(db, last)
    for (const row of rows) yield* compare(row)
    if (rows.length === 0) break
    last = rows.at(-1)?.link_id ?? 0
  }
  yield* checkLinkOrder(db)
  yield* checkCounters(db)
}

function* compare(row: Row): Generator<LinkDiscrepancy, void> {
  const { link_id: linkId, clicks } = row
  if (row.gone) {
    yield { linkId, check: 'rows of a link that does not exist', expected: 0, found: 1 }
    return
  }
  const labels = sumByKind(row.labels)
  const expected: [check: string, expected: number, found: number | null][] = [
    ['sum of days', clicks, row.days],
    ['sum of countries', clicks, labels.get(KIND.country) ?? 0],
    ['sum of referrers', clicks, labels.get(KIND.referrer) ?? 0],
    ['sum of browsers', clicks, labels.get(KIND.browser) ?? 0],
    ['sum of systems', clicks, labels.get(KIND.os) ?? 0],
    ['visitors', row.visitors, row.hashes],
    ['raw clicks', clicks, row.raw],
  ]
  for (const [check, wanted, found] of expected) {
    if (found !== null && found !== wanted) yield { linkId, check, expected: wanted, found }
  }
}

function sumByKind(packed: Buffer | null): ReadonlyMap<number, number> {
  const sums = new Map<number, number>()
  for (const { kind, clicks } of packed ? unpackCounts(packed) : []) {
    sums.set(kind, (sums.get(kind) ?? 0) + clicks)
  }
  return sums
}

/** The next links after `last` that have rows anywhere, found by leaps through the tables' indexes. */
async function readPage(db: Db, last: number): Promise<Row[]> {
  const next = sql.join(
    TABLES.map(
      (table) => sql`(select min(link_id) from ${sql.table(table)} where link_id > ids.id)`,
    ),
  )
  const { rows } = await sql<Row>`
    with recursive ids (id) as (
      select ${last}::bigint
      union all
      select least(${next}) from ids where ids.id is not null
    ), page as (
      select id from ids where id > ${last} limit ${PAGE}
    ), kept as (
      select min(substring(pg_get_expr(c.relpartbound, c.oid) from '''([0-9-]+)')::date) as since
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'clicks'::regclass
    )
    select page.id as link_id,
      not exists (select from links where id = page.id) as gone,
      coalesce(t.clicks, 0) as clicks, coalesce(l.visitors, 0) as visitors,
      coalesce(d.clicks, 0)::float8 as days,
      l.labels,
      (coalesce(length(l.hashes), 0) + (select coalesce(sum(length(hashes)), 0) from click_visitors
       where link_id = page.id))::float8 / ${HASH_BYTES} as hashes,
      case when coalesce(d.first >= kept.since, kept.since is not null) then
        (select count(*) from clicks where link_id = page.id and not crawler)
      end as raw
    from page cross join kept
    left join click_totals t on t.link_id = page.id
    left join click_details l on l.link_id = page.id
    left join lateral
      (select sum(clicks) as clicks, min(day) as first from click_days where link_id = page.id) d on true
    where not exists (select from removed_links r where r.link_id = page.id)
    order by page.id`.execute(db)
  return rows
}
