import type { Db } from '../../db/pool.ts'
import { unpackInto } from '../encoding/label-counts.ts'
import { NEW_VISITORS } from '../encoding/packed-hours.ts'
import { clicksOfLinks, daysOfLinks } from './periods.queries.ts'
import { chunks } from './periods.ts'

const DAY = 86_400_000
const HOUR = 3_600_000

/** Milliseconds since 1970; `until` is not part of it. */
type Span = { from: number; until: number }

/** Returns the clicks of links within a span, without links that have none. */
export async function readLinkClicks(
  db: Db,
  linkIds: readonly number[],
  { from, until }: Span,
): Promise<Map<number, number>> {
  const [first, last] = [Math.ceil(from / DAY), Math.floor(until / DAY) - 1]
  const cutDays = new Set(
    [from, until].flatMap((at) => (at % DAY === 0 ? [] : Math.floor(at / DAY))),
  )
  const found = new Map<number, number>()
  const add = (linkId: number, clicks: number) => {
    if (clicks > 0) found.set(linkId, (found.get(linkId) ?? 0) + clicks)
  }
  for (const some of chunks(linkIds)) {
    if (first <= last) {
      const whole = { from: first, to: last, interval: 'day' as const }
      for (const { link_id, clicks } of await clicksOfLinks(db, some, whole)) add(link_id, clicks)
    }
    for (const day of cutDays) {
      const cut = { from: day, to: day, interval: 'hour' as const }
      for (const row of await daysOfLinks(db, some, cut, { labels: false })) {
        add(row.link_id, clicksWithin(row.hours, day, { from, until }))
      }
    }
  }
  return found
}

/** An hour counts where it begins. */
function clicksWithin(hours: Buffer | undefined, day: number, { from, until }: Span): number {
  const counts = new Map<number, number>()
  if (hours) unpackInto(hours, counts)
  let sum = 0
  for (const [hour, clicks] of counts) {
    const at = day * DAY + hour * HOUR
    if (hour < NEW_VISITORS && at >= from && at < until) sum += clicks
  }
  return sum
}
