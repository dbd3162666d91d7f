import { OTHER_LABEL } from './label-counts.ts'

/** Why a visit does not count: the kind of its robot, or of the request. Stored by name. */
export const UNCOUNTED_KINDS = ['preview', 'crawler', 'monitor', 'prefetch', 'head'] as const
export type UncountedKind = (typeof UNCOUNTED_KINDS)[number]

/** The kinds of stored visits. Those of programs that are in no list are clicks. */
const STORED_KINDS = [...UNCOUNTED_KINDS, 'program'] as const
type StoredKind = (typeof STORED_KINDS)[number]

/** A visit that does not count, and the name of its robot or browser. */
export type Uncounted = { kind: UncountedKind; name: string }

/** A visit by kind and name. */
export type NamedVisit = { kind: StoredKind; name: string }

/** The visits of a day, as they are stored: by kind and name. */
export type StoredVisits = Partial<Record<StoredKind, Record<string, number>>>

export type UncountedVisits = ReturnType<typeof createUncountedVisits>

/** Counts visits by kind and name. Further names of a kind than `maxNames` count as `Other`. */
export function createUncountedVisits<Kind extends StoredKind = StoredKind>(
  maxNames = Number.POSITIVE_INFINITY,
) {
  const kinds = new Map<Kind, Map<string, number>>()

  function add({ kind, name }: { kind: Kind; name: string }, visits = 1): void {
    const names = kinds.get(kind) ?? new Map<string, number>()
    kinds.set(kind, names)
    const size = names.size - (names.has(OTHER_LABEL) ? 1 : 0)
    const key = names.has(name) || size < maxNames ? name : OTHER_LABEL
    names.set(key, (names.get(key) ?? 0) + visits)
  }

  /** Calls `visit` with each kind and name and its visits. */
  function each(visit: (named: { kind: Kind; name: string }, visits: number) => void): void {
    for (const [kind, names] of kinds) {
      for (const [name, visits] of names) visit({ kind, name }, visits)
    }
  }

  return {
    add,
    each,
    addAll: (other: { each: typeof each }) => other.each(add),
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
  visit: (named: NamedVisit, visits: number) => void,
): void {
  for (const kind of STORED_KINDS) {
    for (const [name, visits] of Object.entries(stored[kind] ?? {})) visit({ kind, name }, visits)
  }
}

/** Calls `visit` with each name and the visits that do not count. */
export function eachUncounted(
  stored: StoredVisits,
  visit: (uncounted: Uncounted, visits: number) => void,
): void {
  eachStored(stored, ({ kind, name }, visits) => {
    if (kind !== 'program') visit({ kind, name }, visits)
  })
}
