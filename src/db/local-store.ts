/**
 * The kinds of entries in the local store, in the order in which they are built. Links come after
 * the entries that they refer to.
 */
export const KINDS = [
  'blocked_host',
  'account',
  'domain',
  'splash',
  'overlay',
  'pixel',
  'campaign',
  'campaign_link',
  'link',
  'bio_page',
] as const

export type Kind = (typeof KINDS)[number]

/** A database row with the columns that visits need. */
export type Entry = {
  id: number
  /**
   * The name for lookups, such as the host of a domain. Null for entries that are only looked up by
   * id.
   */
  name: string | null
  /** The columns by name. */
  value: Record<string, unknown>
}

/**
 * Looks up entries. Returns undefined if the store does not have an entry, which may still be in
 * the database.
 */
export type Lookups = {
  get(kind: Kind, id: number): Entry | undefined
  find(kind: Kind, name: string): Entry | undefined
  /**
   * Returns all entries of a kind, or only those whose names start with `group` and a slash.
   * Returns undefined if some may be missing.
   */
  list(kind: Kind, group?: string): Entry[] | undefined
}

/** A copy on this machine of the data that visits need. */
export type LocalStore = {
  /** Finds only entries that are known to be current. */
  current: Lookups
  /** Finds the last known version of entries, for use while the database is unreachable. */
  latest: Lookups
  /**
   * Returns whether an entry is known not to exist. Only an edge's store knows this, because
   * elsewhere the database is queried.
   */
  isAbsent(kind: Kind, name: string): boolean
  /**
   * Returns whether a complete store does not have an entry that this process knows no change of.
   * The entry may have been created elsewhere a moment ago.
   */
  lacks(kind: Kind, name: string): boolean
  /** Returns the same as `isAbsent` for every name that equals this one except for case. */
  isAbsentInAnyCase(kind: 'link', name: string): boolean
  /**
   * Records that an entry has changed in the database. Without a name, any entry of the kind may
   * have changed.
   */
  touch(kind: Kind, name?: string): void
  /**
   * Records whether this process is notified of changes. Without notifications, no entry is known
   * to be current.
   */
  setSubscribed(isSubscribed: boolean): void
}

const EMPTY_LOOKUPS: Lookups = {
  get: () => undefined,
  find: () => undefined,
  list: () => undefined,
}

/** A store without any entries. */
export const NO_STORE: LocalStore = {
  current: EMPTY_LOOKUPS,
  latest: EMPTY_LOOKUPS,
  isAbsent: () => false,
  lacks: () => false,
  isAbsentInAnyCase: () => false,
  touch: () => {},
  setSubscribed: () => {},
}
