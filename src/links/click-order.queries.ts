import { sql } from 'kysely'
import { fromNearerEnd, type PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import { inTransaction, SNAPSHOT } from '../db/transaction.ts'
import { deepPage, NEAR } from './deep-page.queries.ts'
import { readIds } from './link-ids.queries.ts'

/**
 * The ids of the links on a page by clicks: those that were clicked, the most clicked first, then all
 * others; the newer of two that are alike comes first. How often is as the importer has put it into
 * `link_order`, so the order may be up to a minute old.
 */
export async function pageByClicks(db: Db, accountId: number, page: PageQuery): Promise<number[]> {
  const clicked = await countRows(db, 'link_order', accountId)
  const isOnBorder = page.offset < clicked && page.offset + page.limit > clicked
  // A link that is put among the clicked ones between two statements would be on neither part.
  return isOnBorder
    ? inTransaction(db, (snapshot) => readParts(snapshot, accountId, page), SNAPSHOT)
    : readParts(db, accountId, page, clicked)
}

async function readParts(
  db: Db,
  accountId: number,
  { limit, offset }: PageQuery,
  counted?: number,
): Promise<number[]> {
  const clicked = counted ?? (await countRows(db, 'link_order', accountId))
  const before = Math.max(0, Math.min(limit, clicked - offset))
  const after = { limit: limit - before, offset: Math.max(0, offset - clicked) }
  const ids = before > 0 ? await readClicked(db, accountId, { limit, offset }, clicked) : []
  return after.limit > 0 ? [...ids, ...(await readOthers(db, accountId, after, clicked))] : ids
}

async function readClicked(
  db: Db,
  accountId: number,
  page: PageQuery,
  clicked: number,
): Promise<number[]> {
  const { size, skip, direction, inOrder } = fromNearerEnd(page, clicked)
  const { rows } = await sql<{ id: number }>`
    select link_id as id from link_order where account_id = ${accountId}
    order by clicks ${sql.raw(direction)}, link_id ${sql.raw(direction)} limit ${size} offset ${skip}`.execute(
    db,
  )
  return inOrder(rows.map(({ id }) => id))
}

/** Those that are not in the order by clicks. */
async function readOthers(
  db: Db,
  accountId: number,
  page: PageQuery,
  clicked: number,
): Promise<number[]> {
  const others = (await countRows(db, 'links', accountId)) - clicked
  const { size, skip, direction, inOrder } = fromNearerEnd(page, others)
  if (Math.min(page.offset, others - page.offset - size) > NEAR) {
    return deepPage(db, accountId, page, 'unclicked')
  }
  return inOrder(await readIds(db, accountId, { which: 'unclicked', direction, skip, size }))
}
