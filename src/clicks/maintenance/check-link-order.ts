import type { Db } from '../../db/pool.ts'
import { inTransaction, SNAPSHOT } from '../../db/transaction.ts'
import {
  findPendingLinks,
  PAGE_SIZE,
  readClicks,
  readLinkOrder,
  readLinks,
} from './check-link-order.queries.ts'

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
