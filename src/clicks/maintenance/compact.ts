import type { Db } from '../../db/pool.ts'
import { findLinksWithRows, joinRows } from './compact.queries.ts'

/** The number of past days to compact: more than one, because clicks may arrive late. */
const DAYS = 3
/** Links with fewer rows per day are skipped. */
const MIN_ROWS = 8
/** Links per statement. */
const LINKS_PER_STATEMENT = 200

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
    for (let start = 0; start < linkIds.length; start += LINKS_PER_STATEMENT) {
      if (signal?.aborted) return joined
      const chunk = linkIds.slice(start, start + LINKS_PER_STATEMENT)
      await joinRows(db, day, chunk)
      joined += chunk.length
    }
  }
  return joined
}
