import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import { int8Array } from '../encoding/pg-binary.ts'

/** Links in one page. */
export const PAGE = 10_000

/** The next links after `after`. */
export function readLinks(db: Db, after: number) {
  return db
    .selectFrom('links')
    .select(['id', 'kind', 'account_id'])
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE)
    .execute()
}

/** What the order by clicks has of links, by id. A join would read all of it for each page. */
export async function readPlaces(db: Db, linkIds: readonly number[]) {
  const rows = await db
    .selectFrom('link_order')
    .select(['link_id', 'account_id', 'clicks'])
    .where('link_id', '=', sql<number>`any(${int8Array(linkIds)}::bigint[])`)
    .execute()
  return new Map(rows.map((row) => [row.link_id, row]))
}

/** How often links were clicked, by id; in a statement of its own, as totals may be on other machines. */
export async function readClicks(
  db: Db,
  linkIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('click_totals')
    .select(['link_id', 'clicks'])
    .where('link_id', '=', sql<number>`any(${int8Array(linkIds)}::bigint[])`)
    .execute()
  return new Map(rows.map(({ link_id, clicks }) => [link_id, clicks]))
}

/** Those of some links that have changed since the order was brought up to date. */
export async function readChanging(
  db: Db,
  linkIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ id: number }>`
    select distinct changed as id from link_order_changes, unnest(link_ids) changed
    where changed = any(${int8Array(linkIds)}::bigint[])`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
