import { sql } from 'kysely'
import { readTotals } from '../clicks/read.ts'
import { type PageQuery, planPageRead } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { shortUrlOf } from './short-url.ts'

/** A link in the trash. */
export type TrashEntry = {
  id: number
  shortUrl: string
  url: string
  title: string | null
  clicks: number
  deletedAt: Date
}

type Row = Omit<TrashEntry, 'shortUrl' | 'clicks'> & { alias: string; origin: string | null }

/**
 * Returns one page of an account's trash, which contains `total` links, most recently deleted
 * first.
 */
export async function readTrash(
  db: Db,
  baseUrl: string,
  accountId: number,
  page: PageQuery,
  total: number,
): Promise<TrashEntry[]> {
  const { size, skip, direction, restoreOrder } = planPageRead(page, total)
  if (size === 0) return []
  const sqlDirection = sql.raw(direction)
  const { rows } = await sql<Row>`
    select links.id, alias, url, meta_title as title, origin, deleted_at as "deletedAt"
    from (
      select link_id, deleted_at from deleted_links where account_id = ${accountId}
      order by deleted_at ${sqlDirection}, link_id ${sqlDirection} limit ${size} offset ${skip}
    ) trash
    join links on links.id = trash.link_id left join domains on domains.id = domain_id
    order by deleted_at ${sqlDirection}, links.id ${sqlDirection}`.execute(db)
  const totals = await readTotals(
    db,
    rows.map(({ id }) => id),
  )
  return restoreOrder(rows).map(({ alias, origin, ...row }) => ({
    ...row,
    shortUrl: shortUrlOf(origin ?? baseUrl, alias),
    clicks: totals.get(row.id)?.clicks ?? 0,
  }))
}

/** Returns the ids of the links that have been in an account's trash longest. */
export async function listOldestTrashIds(
  db: Db,
  accountId: number,
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('deleted_links')
    .select('link_id')
    .where('account_id', '=', accountId)
    .orderBy('deleted_at')
    .limit(limit)
    .execute()
  return rows.map(({ link_id }) => link_id)
}
