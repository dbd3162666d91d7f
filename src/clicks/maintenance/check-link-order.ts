import { sql } from 'kysely'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction, SNAPSHOT } from '../../db/transaction.ts'
import { joinedNumbers, splitColumns } from '../storage/joined-rows.queries.ts'

/** The number of links per page. */
const PAGE_SIZE = 10_000

const LINKS = {
  id: 'id',
  account: 'account_id',
  isLink: `case kind when 'link' then 1 else 0 end`,
}

const ORDER = { link: 'link_id', account: 'account_id', clicks: 'clicks' }

const CLICKS = { link: 'link_id', clicks: 'clicks' }

/** A range of link ids from `after` (exclusive) to `end` (inclusive). */
type Range = { after: number; end: number }

/** A link whose row in `link_order` does not match its totals. */
export type OrderDiscrepancy = {
  linkId: number
  accountId?: never
  check: string
  expected: number
  found: number
}

/**
 * Compares `link_order` with the totals and yields the differences, except for links whose update
 * is pending. Each page of links is read from one snapshot.
 */
export async function* checkLinkOrder(db: Db): AsyncGenerator<OrderDiscrepancy, void> {
  for (let last = 0, hasMore = true; hasMore; ) {
    const page = await inTransaction(db, (snapshot) => checkPage(snapshot, last), SNAPSHOT)
    yield* page.found
    last = page.last
    hasMore = page.isFull
  }
}

async function checkPage(db: Db, after: number) {
  const links = await readLinks(db, after)
  const last = links.id.at(-1)
  if (last === undefined) return { found: [], last: after, isFull: false }
  const order = await readLinkOrder(db, { after, end: last })
  const clicks = await readClicks(db, { after, end: last })
  const orderRowOf = indexById(order.link)
  const totalOf = indexById(clicks.link)
  const found: OrderDiscrepancy[] = []
  const outdated: OrderDiscrepancy[] = []
  for (let row = 0; row < links.id.length; row += 1) {
    const linkId = links.id[row] as number
    const orderRow = orderRowOf.get(linkId)
    if (orderRow !== undefined && order.account[orderRow] !== links.account[row]) {
      found.push({ linkId, check: 'account in the order by clicks', expected: 1, found: 0 })
    }
    const isLink = links.isLink[row] === 1
    if (isLink !== (orderRow !== undefined)) {
      found.push({
        linkId,
        check: 'rows in the order by clicks',
        expected: isLink ? 1 : 0,
        found: isLink ? 0 : 1,
      })
      continue
    }
    const expected = isLink ? (clicks.clicks[totalOf.get(linkId) ?? -1] ?? 0) : 0
    const ordered = order.clicks[orderRow ?? -1] ?? 0
    if (expected === ordered) continue
    outdated.push({ linkId, check: 'order by clicks', expected, found: ordered })
  }
  found.push(...(await excludePending(db, outdated)))
  return { found, last, isFull: links.id.length === PAGE_SIZE }
}

/** Returns the index of each id in a list. */
function indexById(ids: Float64Array): ReadonlyMap<number, number> {
  const rows = new Map<number, number>()
  for (let row = 0; row < ids.length; row += 1) rows.set(ids[row] as number, row)
  return rows
}

/**
 * Excludes the links whose update is pending. Looks up only the outdated links, because a million
 * updates may be pending.
 */
async function excludePending(db: Db, outdated: readonly OrderDiscrepancy[]) {
  if (outdated.length === 0) return []
  const pending = await findPendingLinks(
    db,
    outdated.map(({ linkId }) => linkId),
  )
  return outdated.filter(({ linkId }) => !pending.has(linkId))
}

/** Returns the next links after `after`, by id. */
async function readLinks(db: Db, after: number) {
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
async function readLinkOrder(db: Db, { after, end }: Range) {
  const { rows } = await db
    .selectFrom('link_order')
    .select(joinedNumbers(ORDER).as('rows'))
    .where('link_id', '>', after)
    .where('link_id', '<=', end)
    .executeTakeFirstOrThrow()
  return splitColumns(rows, ORDER)
}

/** Returns the clicks of the links in a range that have totals. */
async function readClicks(db: Db, { after, end }: Range) {
  const { rows } = await db
    .selectFrom('click_totals')
    .select(joinedNumbers(CLICKS).as('rows'))
    .where('link_id', '>', after)
    .where('link_id', '<=', end)
    .executeTakeFirstOrThrow()
  return splitColumns(rows, CLICKS)
}

/** Returns the links that have changed since the order was last updated. */
async function findPendingLinks(db: Db, linkIds: readonly number[]): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ id: number }>`
    select distinct changed as id from link_order_changes, unnest(link_ids) changed
    where changed = any(${int8Array(linkIds)}::bigint[])`.execute(db)
  return new Set(rows.map(({ id }) => id))
}
