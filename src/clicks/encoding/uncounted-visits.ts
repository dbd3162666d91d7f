import { OTHER_LABEL } from './label-counts.ts'

/** Why a visit does not count: the kind of its robot, or of the request. Stored by name. */
export const UNCOUNTED_KINDS = ['preview', 'crawler', 'monitor', 'prefetch', 'head'] as const
export type UncountedKind = (typeof UNCOUNTED_KINDS)[number]

/** A visit that does not count, and the name of its robot or browser. */
export type Uncounted = { kind: UncountedKind; name: string }

/** The visits of a day that do not count, as they are stored: by kind and name. */
export type StoredVisits = Partial<Record<UncountedKind, Record<string, number>>>

export type UncountedVisits = ReturnType<typeof createUncountedVisits>

/** Counts visits by kind and name. Further names than `maxNames` count as `Other`. */
export function createUncountedVisits(maxNames = Number.POSITIVE_INFINITY) {
  const kinds = new Map<UncountedKind, Map<string, number>>()
  let nameCount = 0

  function add({ kind, name }: Uncounted, visits = 1): void {
    const names = kinds.get(kind) ?? new Map<string, number>()
    kinds.set(kind, names)
    const isKept = name === OTHER_LABEL || names.has(name) || nameCount < maxNames
    const key = isKept ? name : OTHER_LABEL
    if (key !== OTHER_LABEL && !names.has(key)) nameCount += 1
    names.set(key, (names.get(key) ?? 0) + visits)
  }

  /** Calls `visit` with each kind and name and its visits. */
  function each(visit: (uncounted: Uncounted, visits: number) => void): void {
    for (const [kind, names] of kinds) {
      for (const [name, visits] of names) visit({ kind, name }, visits)
    }
  }

  return {
    add,
    each,
    addAll: (other: { each: typeof each }) => other.each(add),
    addStored: (stored: StoredVisits) => eachStored(stored, add),
    /** Returns the text to store. */
    format(): string {
      const entries = Array.from(kinds, ([kind, names]) => [kind, Object.fromEntries(names)])
      return JSON.stringify(Object.fromEntries(entries))
    },
  }
}

/** Calls `visit` with each stored kind and name and its visits. Skips kinds of later versions. */
export function eachStored(
  stored: StoredVisits,
  visit: (uncounted: Uncounted, visits: number) => void,
): void {
  for (const kind of UNCOUNTED_KINDS) {
    for (const [name, visits] of Object.entries(stored[kind] ?? {})) visit({ kind, name }, visits)
  }
}
