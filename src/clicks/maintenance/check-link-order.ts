import type { Db } from '../../db/pool.ts'
import { inTransaction, SNAPSHOT } from '../../db/transaction.ts'
import { readTotals } from '../statistics/totals.queries.ts'
import { PAGE, readChanging, readPlaces } from './check-link-order.queries.ts'

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
  const rows = await readPlaces(db, after)
  const totals = await readTotals(
    db,
    rows.map(({ id }) => id),
  )
  const changing = await readChanging(db)
  const found: OrderDiscrepancy[] = []
  for (const { id, is_listed, is_own, clicks } of rows) {
    if (is_own === false) {
      found.push({ linkId: id, check: 'account in the order by clicks', expected: 1, found: 0 })
    }
    const expected = is_listed ? (totals.get(id)?.clicks ?? 0) : 0
    if (expected === (clicks ?? 0) || changing.has(id)) continue
    found.push({ linkId: id, check: 'order by clicks', expected, found: clicks ?? 0 })
  }
  return { found, last: rows.at(-1)?.id ?? 0, isFull: rows.length === PAGE }
}
