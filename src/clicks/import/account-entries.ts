import { toCounts } from '../encoding/label-counts.ts'
import type { Counts, Range } from '../encoding/packed-counts.ts'
import type { DayHours } from './day-hours.ts'

/**
 * The amounts that a batch adds to one day of an account, with the clicks of each link on that day.
 */
export type AccountEntry = {
  account: number
  /** Days since 1970. */
  day: number
  clicks: number
  /** The number of visitors who clicked a link for the first time. */
  visitors: number
  /**
   * Clicks by hour of the day, and new visitors by hour with an offset of `NEW_VISITORS_OFFSET`.
   */
  hours: Counts
  labels: Counts
  links: Counts
}

type Sums = {
  account: number
  day: number
  clicks: number
  visitors: number
  hours: Map<number, number>
  labels: Map<number, number>
  links: { keys: number[]; clicks: number[] }
}

export type AccountSums = ReturnType<typeof createAccountSums>

/** Adds up the days of links per owning account. */
export function createAccountSums(accountOf: ReadonlyMap<number, number>) {
  const sums = new Map<number, Map<number, Sums>>()

  /**
   * Adds a day of a link. Links must be added in ascending order, and each of their days once. The
   * labels are a slice of a list.
   */
  function add(link: number, day: number, hours: DayHours, labels: Counts, range: Range): void {
    const daySums = findOrCreate(accountOf.get(link) as number, day)
    daySums.clicks += hours.clicks
    daySums.visitors += hours.visitors
    addTo(daySums.hours, hours.counts, { from: 0, to: hours.counts.keys.length })
    addTo(daySums.labels, labels, range)
    daySums.links.keys.push(link)
    daySums.links.clicks.push(hours.clicks)
  }

  function findOrCreate(account: number, day: number): Sums {
    let days = sums.get(account)
    if (!days) {
      days = new Map()
      sums.set(account, days)
    }
    let daySums = days.get(day)
    if (!daySums) {
      daySums = {
        account,
        day,
        clicks: 0,
        visitors: 0,
        hours: new Map(),
        labels: new Map(),
        links: { keys: [], clicks: [] },
      }
      days.set(day, daySums)
    }
    return daySums
  }

  /** Returns the sums ordered by account and day. */
  function entries(): AccountEntry[] {
    return [...sums.values()]
      .flatMap((days) => [...days.values()])
      .sort((a, b) => a.account - b.account || a.day - b.day)
      .map((daySums) => ({
        ...daySums,
        hours: toCounts(daySums.hours),
        labels: toCounts(daySums.labels),
      }))
  }

  return { add, entries }
}

function addTo(sums: Map<number, number>, { keys, clicks }: Counts, { from, to }: Range): void {
  for (let index = from; index < to; index += 1) {
    const key = keys[index] as number
    sums.set(key, (sums.get(key) ?? 0) + (clicks[index] as number))
  }
}
