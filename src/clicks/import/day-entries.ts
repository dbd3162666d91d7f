import type { Counts } from '../encoding/label-counts.ts'
import { HOURS, NEW_VISITORS } from '../encoding/packed-hours.ts'
import type { LinkDetails } from './rollup.ts'

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

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
