import { type Counts, countsOf } from '../encoding/label-counts.ts'
import type { DayEntry } from './day-entries.ts'

/** A day of an account, with the clicks of each of its links on it. */
export type AccountEntry = DayEntry & { links: Counts }

type Sums = {
  owner: number
  day: number
  clicks: number
  visitors: number
  hours: Map<number, number>
  labels: Map<number, number>
  links: Map<number, number>
}

/** Adds the days of links up to days of the accounts that own them, in the order of account and day. */
export function accountEntries(
  entries: readonly DayEntry[],
  accountOf: ReadonlyMap<number, number>,
): AccountEntry[] {
  const sums = new Map<string, Sums>()
  for (const { owner: link, day, clicks, visitors, hours, labels } of entries) {
    const owner = accountOf.get(link) as number
    const own = ensure(sums, owner, day)
    own.clicks += clicks
    own.visitors += visitors
    addTo(own.hours, hours)
    addTo(own.labels, labels)
    own.links.set(link, clicks)
  }
  return [...sums.values()]
    .sort((a, b) => a.owner - b.owner || a.day - b.day)
    .map((own) => ({
      ...own,
      hours: countsOf(own.hours),
      labels: countsOf(own.labels),
      links: countsOf(own.links),
    }))
}

function ensure(sums: Map<string, Sums>, owner: number, day: number): Sums {
  const known = sums.get(`${owner} ${day}`)
  if (known) return known
  const fresh = {
    ...{ owner, day, clicks: 0, visitors: 0 },
    ...{ hours: new Map(), labels: new Map(), links: new Map() },
  }
  sums.set(`${owner} ${day}`, fresh)
  return fresh
}

function addTo(sums: Map<number, number>, { keys, clicks }: Counts): void {
  for (let index = 0; index < keys.length; index += 1) {
    const key = keys[index] as number
    sums.set(key, (sums.get(key) ?? 0) + (clicks[index] as number))
  }
}
