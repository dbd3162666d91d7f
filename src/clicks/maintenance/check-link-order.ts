import type { Db } from '../../db/pool.ts'
import { inTransaction, SNAPSHOT } from '../../db/transaction.ts'
import {
  PAGE,
  readChanging,
  readClicks,
  readLinks,
  readPlaces,
} from './check-link-order.queries.ts'

/** A link whose place in the order by clicks is not the one that its totals ask for. */
export type OrderDiscrepancy = {
  linkId: number
  accountId?: never
  check: string
  expected: number
  found: number
}

/**
 * Holds the order of lists by clicks against the totals, without the links that have changed since it
 * was brought up to date, and gives each difference. Each page of links is read from one snapshot.
 */
export async function* checkLinkOrder(db: Db): AsyncGenerator<OrderDiscrepancy, void> {
  for (let last = 0, more = true; more; ) {
    const page = await inTransaction(db, (snapshot) => checkPage(snapshot, last), SNAPSHOT)
    yield* page.found
    last = page.last
    more = page.isFull
  }
}

async function checkPage(db: Db, after: number) {
  const links = await readLinks(db, after)
  const ids = links.map(({ id }) => id)
  const places = await readPlaces(db, ids)
  const clicks = await readClicks(db, ids)
  const found: OrderDiscrepancy[] = []
  const outdated: OrderDiscrepancy[] = []
  for (const { id, kind, account_id } of links) {
    const place = places.get(id)
    if (place && place.account_id !== account_id) {
      found.push({ linkId: id, check: 'account in the order by clicks', expected: 1, found: 0 })
    }
    const expected = kind === 'link' ? (clicks.get(id) ?? 0) : 0
    const placed = place?.clicks ?? 0
    if (expected === placed) continue
    outdated.push({ linkId: id, check: 'order by clicks', expected, found: placed })
  }
  found.push(...(await withoutChanging(db, outdated)))
  return { found, last: links.at(-1)?.id ?? 0, isFull: links.length === PAGE }
}

/** What has changed is brought up to date soon. There may be a million of them, so only these are asked for. */
async function withoutChanging(db: Db, outdated: readonly OrderDiscrepancy[]) {
  if (outdated.length === 0) return []
  const changing = await readChanging(
    db,
    outdated.map(({ linkId }) => linkId),
  )
  return outdated.filter(({ linkId }) => !changing.has(linkId))
}
