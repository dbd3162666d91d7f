import { HOURS_PER_DAY } from '../encoding/packed-counts.ts'
import { type Grouped, hourOf } from './group.ts'

/** Days on which links were clicked. A link is identified by its position in `Grouped.links`. */
export type Days = {
  link: Uint32Array
  /** Days since 1970. */
  day: Uint32Array
  /** The index of each day's first click. */
  clickStarts: Uint32Array
  /** The start of each day's hours, followed by the end of the last day's hours. */
  hourStarts: Uint32Array
  /** Hours with human clicks, and the number of these clicks. */
  hours: { keys: Float64Array; clicks: Uint32Array }
}

/** Splits human clicks into days and hours. */
export function splitDays({ links, clicks, starts }: Grouped): Days {
  const { at, crawler } = clicks
  // There may be as many days as clicks, because each click may be on a separate day.
  const link = allocate(at)
  const day = allocate(at)
  const clickStarts = allocate(at)
  const hourStarts = allocate(at, 1)
  const keys = new Float64Array(at.length)
  const counts = allocate(at)
  let days = 0
  let hours = 0
  for (let position = 0; position < links.length; position += 1) {
    let date = -1
    let hour = -1
    const end = starts[position + 1] as number
    for (let index = starts[position] as number; index < end; index += 1) {
      if (crawler[index] === 1) continue
      const clickHour = hourOf(at[index] as number)
      if (clickHour !== hour) {
        hour = clickHour
        if (Math.floor(hour / HOURS_PER_DAY) !== date) {
          date = Math.floor(hour / HOURS_PER_DAY)
          link[days] = position
          day[days] = date
          clickStarts[days] = index
          hourStarts[days] = hours
          days += 1
        }
        keys[hours] = hour - date * HOURS_PER_DAY
        hours += 1
      }
      counts[hours - 1] = (counts[hours - 1] as number) + 1
    }
  }
  hourStarts[days] = hours
  return {
    link: link.subarray(0, days),
    day: day.subarray(0, days),
    clickStarts: clickStarts.subarray(0, days),
    hourStarts: hourStarts.subarray(0, days + 1),
    hours: { keys: keys.subarray(0, hours), clicks: counts.subarray(0, hours) },
  }
}

/**
 * Returns the start of each link's days, for links that have days, followed by the end of the last
 * link's days.
 */
export function startsOfLinks({ link }: Days): Uint32Array {
  const starts = new Uint32Array(link.length + 1)
  let links = 0
  for (let day = 0; day < link.length; day += 1) {
    if (day > 0 && link[day] === link[day - 1]) continue
    starts[links] = day
    links += 1
  }
  starts[links] = link.length
  return starts.subarray(0, links + 1)
}

function allocate({ length }: Float64Array, more = 0): Uint32Array {
  return new Uint32Array(length + more)
}
