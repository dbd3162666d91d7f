import { HOURS_PER_DAY, NEW_VISITORS_OFFSET } from '../encoding/packed-counts.ts'
import type { Details } from './rollup.ts'

/** The amounts that a batch adds to the hours of one day of a link. */
export type DayHours = {
  /**
   * Clicks by hour of the day, and new visitors by hour with an offset of `NEW_VISITORS_OFFSET`.
   */
  counts: { keys: number[]; clicks: number[] }
  clicks: number
  /** The number of new visitors of the link. */
  visitors: number
}

/** Creates a buffer for the hours of a day, to be reused for each day. */
export function createDayHours(): DayHours {
  return { counts: { keys: [], clicks: [] }, clicks: 0, visitors: 0 }
}

/**
 * Sets `target` to the hours of one day of a batch. `added` has the link's new visitors as offsets
 * from `firstVisitor`.
 */
export function fillDayHours(
  target: DayHours,
  { days, arrivals }: Details,
  day: number,
  firstVisitor: number,
  added: readonly number[],
): void {
  const { keys, clicks } = target.counts
  target.clicks = 0
  keys.length = 0
  clicks.length = 0
  const end = days.hourStarts[day + 1] as number
  for (let index = days.hourStarts[day] as number; index < end; index += 1) {
    const count = days.hours.clicks[index] as number
    keys.push(days.hours.keys[index] as number)
    clicks.push(count)
    target.clicks += count
  }
  target.visitors = countArrivals(
    arrivals,
    firstVisitor,
    added,
    (days.day[day] as number) * HOURS_PER_DAY,
  )
  if (target.visitors === 0) return
  for (let hour = 0; hour < HOURS_PER_DAY; hour += 1) {
    if (visitorsByHour[hour] === 0) continue
    keys.push(NEW_VISITORS_OFFSET + hour)
    clicks.push(visitorsByHour[hour] as number)
  }
}

const visitorsByHour = new Uint32Array(HOURS_PER_DAY)

/**
 * Counts the new visitors of the day that starts at `firstHour` (in hours since 1970) in
 * `visitorsByHour`. Returns their total.
 */
function countArrivals(
  arrivals: Uint32Array,
  firstVisitor: number,
  added: readonly number[],
  firstHour: number,
): number {
  let visitors = 0
  visitorsByHour.fill(0)
  for (const position of added) {
    const hour = (arrivals[firstVisitor + position] as number) - firstHour
    if (hour < 0 || hour >= HOURS_PER_DAY) continue
    visitorsByHour[hour] = (visitorsByHour[hour] as number) + 1
    visitors += 1
  }
  return visitors
}
