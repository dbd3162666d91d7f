import type { Db } from '../../db/pool.ts'
import { joinRows, linksWithRows } from './compact.queries.ts'

/** Days before today that are looked at: clicks of some may have waited in a journal. */
const DAYS = 3
/** Links with fewer rows on a day are left alone. */
const FEWEST_ROWS = 8
/** Links that one statement joins. */
const LINKS = 200

/**
 * Joins the raw clicks of past days to one row for each link and day. Clicks come in one by one, and a
 * million rows take several times as long to read as a million clicks in few rows. Returns the number of
 * rows that were made; stops early when the signal aborts. Safe to run concurrently.
 */
export async function compactRawClicks(db: Db, now: Date, signal?: AbortSignal): Promise<number> {
  const today = Math.floor(now.getTime() / 86_400_000)
  let joined = 0
  for (let day = today - DAYS; day < today; day += 1) {
    const linkIds = await linksWithRows(db, day, FEWEST_ROWS)
    for (let start = 0; start < linkIds.length; start += LINKS) {
      if (signal?.aborted) return joined
      const some = linkIds.slice(start, start + LINKS)
      await joinRows(db, day, some)
      joined += some.length
    }
  }
  return joined
}
