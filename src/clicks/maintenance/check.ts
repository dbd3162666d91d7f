import { prefetch } from '../../concurrency/prefetch.ts'
import type { Db } from '../../db/pool.ts'
import { storedRanges } from './check.queries.ts'
import { type CounterDiscrepancy, checkCounters } from './check-counters.ts'
import { checkAccountDays, compareDays, type DayDiscrepancy } from './check-days.ts'
import { checkLinkOrder, type OrderDiscrepancy } from './check-link-order.ts'
import { compareLinks, type LinkDiscrepancy } from './check-links.ts'

/** A number that differs from its expected value. `linkId` or `accountId` identifies where. */
export type Discrepancy = LinkDiscrepancy | DayDiscrepancy | OrderDiscrepancy | CounterDiscrepancy

/**
 * Recounts all statistics and yields each difference:
 *
 * - days, labels and visitors of every link against its totals
 * - raw and imported clicks against the totals, where all raw clicks are still stored
 * - rows of links that do not exist
 * - labels and hours of every day against its clicks, and new visitors of all days against the
 *   link's visitors
 * - days of accounts, the order of lists by clicks, and the counters of lists
 *
 * Reads each range of links from one snapshot, so it is safe to run at any time. It reads every raw
 * click, so it needs a long statement timeout.
 */
export async function* checkStatistics(db: Db): AsyncGenerator<Discrepancy, void> {
  for await (const range of prefetch(storedRanges(db))) {
    yield* compareLinks(range)
    yield* compareDays(range.days, range.removed)
  }
  yield* checkAccountDays(db)
  yield* checkLinkOrder(db)
  yield* checkCounters(db)
}
