import type { Db } from '../../db/pool.ts'
import { findLinksWithRows, joinRows } from './compact.queries.ts'

/** The number of days before today to compact, because clicks may arrive late from a journal. */
const DAYS = 3
/** Links with fewer rows per day are skipped. */
const MIN_ROWS = 8
/** Links per statement. */
const LINKS = 200

/**
 * Joins the raw clicks of past days into one row per link and day. Clicks arrive one by one, and
 * reading a million short rows takes several times as long as reading a million clicks from a few
 * rows. Returns the number of rows created. Stops early if the signal aborts. Safe to run
 * concurrently.
 */
export async function compactRawClicks(db: Db, now: Date, signal?: AbortSignal): Promise<number> {
  const today = Math.floor(now.getTime() / 86_400_000)
  let joined = 0
  for (let day = today - DAYS; day < today; day += 1) {
    const linkIds = await findLinksWithRows(db, day, MIN_ROWS)
    for (let start = 0; start < linkIds.length; start += LINKS) {
      if (signal?.aborted) return joined
      const some = linkIds.slice(start, start + LINKS)
      await joinRows(db, day, some)
      joined += some.length
    }
  }
  return joined
}
