import { prefetch } from '../../concurrency/prefetch.ts'
import type { Db } from '../../db/pool.ts'
import { readStoredRanges } from './check.queries.ts'
import { type CounterDiscrepancy, checkCounters } from './check-counters.ts'
import { checkAccountDays, compareDays, type DayDiscrepancy } from './check-days.ts'
import { checkLinkOrder, type OrderDiscrepancy } from './check-link-order.ts'
import { compareLinks, type LinkDiscrepancy } from './check-links.ts'

/** A number that differs from its expected value. `linkId` or `accountId` says where. */
export type Discrepancy = LinkDiscrepancy | DayDiscrepancy | OrderDiscrepancy | CounterDiscrepancy

/**
 * Recounts all statistics and yields the differences. Compares:
 *
 * - days, labels and visitors of every link with its totals
 * - raw and imported clicks with the totals, if all raw clicks are still stored
 * - rows of links with the links that exist
 * - labels and hours of every day with its clicks, and new visitors of all days with the link's
 *   visitors
 * - days of accounts, the order of lists by clicks, and the counters of lists
 *
 * Each range of links is read from one snapshot, so this is safe to run at any time. It reads every
 * raw click and therefore needs a long statement timeout.
 */
export async function* checkStatistics(db: Db): AsyncGenerator<Discrepancy, void> {
  for await (const range of prefetch(readStoredRanges(db))) {
    yield* compareLinks(range)
    yield* compareDays(range.days, range.removed)
  }
  yield* checkAccountDays(db)
  yield* checkLinkOrder(db)
  yield* checkCounters(db)
}
