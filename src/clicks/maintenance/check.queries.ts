import { type Selectable, sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import type { ClickDetailTable, ClickTotalTable, Schema } from '../../db/schema.ts'
import { HASH_BYTES } from '../encoding/visitor-set.ts'

/** The numbers of one link, as they are kept and as a recount gives them. */
export type CountedLink = Pick<Selectable<ClickTotalTable>, 'link_id' | 'clicks'> &
  Pick<Selectable<ClickDetailTable>, 'visitors'> & {
    gone: boolean
    days: number
    labels: Selectable<ClickDetailTable>['labels'] | null
    hashes: number
    raw: number | null
  }

const PAGE = 200
const TABLES = [
  'click_totals',
  'click_days',
  'click_details',
  'click_visitors',
  'clicks',
] as const satisfies (keyof Schema)[]

/** The next links after `last` that have rows anywhere, found by leaps through the tables' indexes. */
export async function readCountedLinks(db: Db, last: number): Promise<CountedLink[]> {
  const next = sql.join(
    TABLES.map(
      (table) => sql`(select min(link_id) from ${sql.table(table)} where link_id > ids.id)`,
    ),
  )
  const { rows } = await sql<CountedLink>`
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
