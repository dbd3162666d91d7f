import { oneAhead } from '../../concurrency/one-ahead.ts'
import type { Db } from '../../db/pool.ts'
import { storedRanges } from './check.queries.ts'
import { type CounterDiscrepancy, checkCounters } from './check-counters.ts'
import { checkAccountDays, compareDays, type DayDiscrepancy } from './check-days.ts'
import { checkLinkOrder, type OrderDiscrepancy } from './check-link-order.ts'
import { compareLinks, type LinkDiscrepancy } from './check-links.ts'

/** One number that differs from what it should be; `linkId` or `accountId` is where to look. */
export type Discrepancy = LinkDiscrepancy | DayDiscrepancy | OrderDiscrepancy | CounterDiscrepancy

/**
 * Recounts the statistics of every link and gives each difference it finds: days, labels of each
 * kind and visitors against the totals; raw clicks, and those that were counted elsewhere, against
 * the totals where all of them are still kept; rows of links that do not exist; labels and hours of
 * every day against its clicks, new visitors of all days against those of the link; then the days
 * of accounts, the order of lists by clicks, and the counters of lists. Each range of links is read
 * from one snapshot, so that it can run beside everything else. It reads every raw click: the
 * statement timeout has to allow for that.
 */
export async function* checkStatistics(db: Db): AsyncGenerator<Discrepancy, void> {
  for await (const range of oneAhead(storedRanges(db))) {
    yield* compareLinks(range)
    yield* compareDays(range.days, range.removed)
  }
  yield* checkAccountDays(db)
  yield* checkLinkOrder(db)
  yield* checkCounters(db)
}
