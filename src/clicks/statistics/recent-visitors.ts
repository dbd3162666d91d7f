import type { FairQueue } from '../../concurrency/fair-queue.ts'
import type { Db } from '../../db/pool.ts'
import { visitorNumber } from '../encoding/raw-clicks.ts'
import { visitRawClicks } from '../storage/visit-raw-clicks.ts'
import { readDaysOfAccount, readDaysOfLinks } from './periods.queries.ts'
import { chunks } from './periods.ts'
import type { Scope } from './scope.ts'

const DAY = 86_400_000

/**
 * Returns the visitors since a moment with the times of their last clicks. Returns undefined if
 * there were more than `maxClicks` clicks on these days.
 *
 * @throws AppError `busy`
 */
export async function readRecentVisitors(
  { rawReads }: { rawReads: FairQueue },
  db: Db,
  scope: Scope,
  { since, until, maxClicks }: { since: number; until: number; maxClicks: number },
): Promise<Map<number, number> | undefined> {
  const period = {
    from: Math.floor(since / DAY),
    to: Math.floor(until / DAY),
    interval: 'day' as const,
  }
  const clicksOfDay = new Map<number, number>()
  let sum = 0
  const add = ({ day, clicks }: { day: number; clicks: number }) => {
    clicksOfDay.set(day, (clicksOfDay.get(day) ?? 0) + clicks)
    sum += clicks
  }
  const parts = { labels: false }
  for (const some of scope.linkIds ? chunks(scope.linkIds) : []) {
    ;(await readDaysOfLinks(db, some, period, parts)).forEach(add)
  }
  if (!scope.linkIds) (await readDaysOfAccount(db, scope.accountId, period, parts)).forEach(add)
  if (sum > maxClicks) return undefined
  const visitors = new Map<number, number>()
  if (sum === 0) return visitors
  await rawReads.run(scope.accountId, () =>
    visitRawClicks(db, { ...scope, clicksOfDay }, (click, blocks) => {
      if (click.crawler || click.at < since) return
      const { visitorAt } = click
      visitors.set(
        visitorNumber(blocks.readInt32LE(visitorAt), blocks.readInt32LE(visitorAt + 4)),
        click.at,
      )
    }),
  )
  return visitors
}
