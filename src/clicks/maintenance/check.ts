import { oneAhead } from '../../concurrency/one-ahead.ts'
import type { Db } from '../../db/pool.ts'
import { KIND, sumsByKind } from '../encoding/label-counts.ts'
import { type CountedLink, countedLinks } from './check.queries.ts'
import { type CounterDiscrepancy, checkCounters } from './check-counters.ts'
import { checkDays, type DayDiscrepancy } from './check-days.ts'
import { checkLinkOrder, type OrderDiscrepancy } from './check-link-order.ts'

/** One number that differs from what it should be; `linkId` or `accountId` is where to look. */
export type Discrepancy = LinkDiscrepancy | DayDiscrepancy | OrderDiscrepancy | CounterDiscrepancy

type LinkDiscrepancy = {
  linkId: number
  accountId?: never
  check: string
  expected: number
  found: number
}

/**
 * Recounts the statistics of every link and gives each difference it finds: days, labels of each kind
 * and visitors against the totals; raw clicks, and those that were counted elsewhere, against the totals
 * where all of them are still kept;
 * and rows of links that do not exist; then statistics over time, the order of lists by clicks, and the counters of lists.
 * Each page of links is read from one snapshot, so that it can run beside everything else. It reads
 * every raw click: the statement timeout has to allow for that.
 */
export async function* checkStatistics(db: Db): AsyncGenerator<Discrepancy, void> {
  for await (const rows of oneAhead(countedLinks(db))) {
    for (const row of rows) yield* compare(row)
  }
  yield* checkDays(db)
  yield* checkLinkOrder(db)
  yield* checkCounters(db)
}

const NOTHING = new Uint8Array()

function* compare(row: CountedLink): Generator<LinkDiscrepancy, void> {
  const { link_id: linkId, clicks } = row
  if (row.gone) {
    yield { linkId, check: 'rows of a link that does not exist', expected: 0, found: 1 }
    return
  }
  const labels = sumsByKind(row.labels ?? NOTHING)
  const expected: [check: string, expected: number, found: number | null][] = [
    ['sum of days', clicks, row.days],
    ['sum of countries', clicks, labels[KIND.country] ?? 0],
    ['sum of referrers', clicks, labels[KIND.referrer] ?? 0],
    ['sum of browsers', clicks, labels[KIND.browser] ?? 0],
    ['sum of systems', clicks, labels[KIND.os] ?? 0],
    ['visitors', row.visitors, row.hashes],
    ['raw clicks', clicks, row.raw],
  ]
  for (const [check, wanted, found] of expected) {
    if (found !== null && found !== wanted) yield { linkId, check, expected: wanted, found }
  }
}
