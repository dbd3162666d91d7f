/** The kinds of entries in the local store, in build order: after the entries that they refer to. */
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

/** A database row as needed by visits. */
export type Entry = {
  id: number
  /**
   * The lookup name, such as the host of a domain. Null for entries that are only looked up by id.
   */
  name: string | null
  /** Columns by name. */
  value: Record<string, unknown>
}

/**
 * Looks up entries. Returns undefined if the store does not have one, which may still be in the
 * database.
 */
export type Lookups = {
  get(kind: Kind, id: number): Entry | undefined
  find(kind: Kind, name: string): Entry | undefined
  /**
   * Returns all entries of a kind, or those whose names start with `group` and a slash. Returns
   * undefined if some may be missing.
   */
  list(kind: Kind, group?: string): Entry[] | undefined
}

/** A copy on this machine of the data that visits need. */
export type LocalStore = {
  /** Looks up only entries known to be current. */
  current: Lookups
  /** Looks up the last known entries. For use while the database is unreachable. */
  latest: Lookups
  /**
   * Returns whether an entry is known not to exist. Only the store of an edge knows: elsewhere the
   * database does.
   */
  lacks(kind: Kind, name: string): boolean
  /** Records that an entry, or any entry of a kind, has changed in the database. */
  touch(kind: Kind, name?: string): void
  /**
   * Records whether this process is notified of changes. Without notifications, no entry is known
   * to be current.
   */
  setSubscribed(now: boolean): void
}

const EMPTY_LOOKUPS: Lookups = {
  get: () => undefined,
  find: () => undefined,
  list: () => undefined,
}

/** The store of a process without one. */
export const NO_STORE: LocalStore = {
  current: EMPTY_LOOKUPS,
  latest: EMPTY_LOOKUPS,
  lacks: () => false,
  touch: () => {},
  setSubscribed: () => {},
}
