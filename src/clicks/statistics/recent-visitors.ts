import type { FairQueue } from '../../concurrency/fair-queue.ts'
import type { Db } from '../../db/pool.ts'
import { visitorNumber } from '../encoding/raw-clicks.ts'
import { visitRawClicks } from '../storage/visit-raw-clicks.ts'
import { readDaysOfAccount, readDaysOfLinks } from './periods.queries.ts'
import { splitIntoChunks } from './periods.ts'
import type { ClickScope } from './scope.ts'

const DAY_MS = 86_400_000

/**
 * Returns the time of the last click of each visitor who has clicked since `since`, by visitor
 * number. `until` is the current time. Returns undefined if there were more than `maxClicks` clicks
 * on these days.
 *
 * @throws AppError `busy` if too many reads are waiting
 */
export async function readRecentVisitors(
  { rawReads }: { rawReads: FairQueue },
  db: Db,
  scope: ClickScope,
  { since, until, maxClicks }: { since: number; until: number; maxClicks: number },
): Promise<Map<number, number> | undefined> {
  const period = {
    from: Math.floor(since / DAY_MS),
    to: Math.floor(until / DAY_MS),
    interval: 'day' as const,
  }
  const clicksOfDay = new Map<number, number>()
  let total = 0
  const add = ({ day, clicks }: { day: number; clicks: number }) => {
    clicksOfDay.set(day, (clicksOfDay.get(day) ?? 0) + clicks)
    total += clicks
  }
  const options = { labels: false }
  for (const chunk of scope.linkIds ? splitIntoChunks(scope.linkIds) : []) {
    for (const day of await readDaysOfLinks(db, chunk, period, options)) add(day)
  }
  if (!scope.linkIds) {
    for (const day of await readDaysOfAccount({ ...scope, db }, period, options)) add(day)
  }
  if (total > maxClicks) return undefined
  const visitors = new Map<number, number>()
  if (total === 0) return visitors
  await rawReads.run(scope.accountId, () =>
    visitRawClicks(db, { ...scope, clicksOfDay }, (click, blocks) => {
      if (click.crawler || click.at < since) return
      const low = blocks.readInt32LE(click.visitorOffset)
      const high = blocks.readInt32LE(click.visitorOffset + 4)
      const visitor = visitorNumber(low, high)
      visitors.set(visitor, Math.max(visitors.get(visitor) ?? 0, click.at))
    }),
  )
  return visitors
}
