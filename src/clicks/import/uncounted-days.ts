import {
  createUncountedVisits,
  type NamedVisit,
  type UncountedVisits,
} from '../encoding/uncounted-visits.ts'

const DAY_MS = 86_400_000

/** The visits of a link or an account on a day (since 1970) that do not count. */
export type UncountedDay = { owner: number; day: number; visits: UncountedVisits }

export type UncountedDays = ReturnType<typeof createUncountedDays>

/** Adds up visits that do not count by owner and day. */
export function createUncountedDays() {
  const owners = new Map<number, Map<number, UncountedVisits>>()

  function find(owner: number, day: number): UncountedVisits {
    const days = owners.get(owner) ?? new Map<number, UncountedVisits>()
    owners.set(owner, days)
    const visits = days.get(day) ?? createUncountedVisits()
    days.set(day, visits)
    return visits
  }

  return {
    add: (owner: number, at: number, visit: NamedVisit) =>
      find(owner, Math.floor(at / DAY_MS)).add(visit),
    addDay: ({ owner, day, visits }: UncountedDay) => find(owner, day).addAll(visits),
    /** Returns the days ordered by owner and day. */
    entries: (): UncountedDay[] =>
      Array.from(owners, ([owner, days]) =>
        Array.from(days, ([day, visits]): UncountedDay => ({ owner, day, visits })),
      )
        .flat()
        .sort((a, b) => a.owner - b.owner || a.day - b.day),
  }
}
