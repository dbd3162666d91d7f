import type { Counts } from '../encoding/label-counts.ts'
import { HOURS, NEW_VISITORS } from '../encoding/packed-hours.ts'
import type { DayCounts, LinkDetails } from './rollup.ts'

/** What a batch adds to one day of a link or of an account. */
export type DayEntry = {
  /** The link's or the account's id. */
  owner: number
  /** Days since 1970. */
  day: number
  clicks: number
  /** Visitors whom their link had not seen before. */
  visitors: number
  /** Clicks by hour of the day, and new visitors by hour under `NEW_VISITORS` more. */
  hours: Counts
  labels: Counts
}

/**
 * The days of one link's part of a batch, in their order. `added` tells which of its visitors are new
 * to the link, by their positions.
 */
export function dayEntries(
  { link, days, arrivals }: LinkDetails,
  added: readonly number[],
): DayEntry[] {
  const [only] = days
  if (days.length === 1 && only?.hours.keys.length === 1) return [entryOfOneHour(link, only, added)]
  return days.map(({ day, hours, labels }) => {
    const first = day * HOURS
    const arrived = new Map<number, number>()
    for (const position of added) {
      const hour = (arrivals[position] as number) - first
      if (hour >= 0 && hour < HOURS) arrived.set(hour, (arrived.get(hour) ?? 0) + 1)
    }
    const newcomers = [...arrived].sort(([a], [b]) => a - b)
    const clicksByHour = Array.from(hours.clicks)
    return {
      owner: link,
      day,
      clicks: sum(clicksByHour),
      visitors: sum(newcomers.map(([, visitors]) => visitors)),
      hours: {
        keys: [
          ...Array.from(hours.keys, (hour) => hour - first),
          ...newcomers.map(([hour]) => NEW_VISITORS + hour),
        ],
        clicks: [...clicksByHour, ...newcomers.map(([, visitors]) => visitors)],
      },
      labels,
    }
  })
}

/** The same for clicks of one hour, as nearly all of a batch are: it is done for each of its links. */
function entryOfOneHour(
  owner: number,
  { day, hours, labels }: DayCounts,
  added: readonly number[],
): DayEntry {
  const clicks = hours.clicks[0] as number
  const hour = (hours.keys[0] as number) - day * HOURS
  const visitors = added.length
  return {
    owner,
    day,
    clicks,
    visitors,
    hours:
      visitors > 0
        ? { keys: [hour, NEW_VISITORS + hour], clicks: [clicks, visitors] }
        : { keys: [hour], clicks: [clicks] },
    labels,
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
