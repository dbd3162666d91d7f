import { sql } from 'kysely'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'
import { joinedNumbers, splitColumns } from '../storage/joined-rows.queries.ts'

/** The number of links per page. */
export const PAGE_SIZE = 10_000

const LINKS = {
  id: 'id',
  account: 'account_id',
  isLink: `case kind when 'link' then 1 else 0 end`,
}
const ORDER = { link: 'link_id', account: 'account_id', clicks: 'clicks' }
const CLICKS = { link: 'link_id', clicks: 'clicks' }

/** A range of link ids from `after` (exclusive) to `end` (inclusive). */
type Range = { after: number; end: number }

/** Returns the next links after `after`, by id. */
export async function readLinks(db: Db, after: number) {
  const { rows } = await db
    .selectFrom((next) =>
      next
        .selectFrom('links')
        .select(['id', 'kind', 'account_id'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(PAGE_SIZE)
        .as('next'),
    )
    .select(joinedNumbers(LINKS).as('rows'))
    .executeTakeFirstOrThrow()
  return splitColumns(rows, LINKS)
}

/**
 * Returns the rows of `link_order` for a range of links. A join would read the entire table for
 * each page.
 */
export async function readLinkOrder(db: Db, { after, end }: Range) {
  const { rows } = await db
    .selectFrom('link_order')
    .select(joinedNumbers(ORDER).as('rows'))
    .where('link_id', '>', after)
    .where('link_id', '<=', end)
    .executeTakeFirstOrThrow()
  return splitColumns(rows, ORDER)
}

/** Returns the clicks of the links in a range that have totals. */
export async function readClicks(db: Db, { after, end }: Range) {
  const { rows } = await db
    .selectFrom('click_totals')
    .select(joinedNumbers(CLICKS).as('rows'))
    .where('link_id', '>', after)
    .where('link_id', '<=', end)
    .executeTakeFirstOrThrow()
  return splitColumns(rows, CLICKS)
}

/** Returns the links that have changed since the order was last updated. */
export async function findPendingLinks(
  db: Db,
  linkIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ id: number }>`
    select distinct changed as id from link_order_changes, unnest(link_ids) changed
    where changed = any(${int8Array(linkIds)}::bigint[])`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
