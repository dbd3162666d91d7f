/** What the local store holds, in the order in which it is built: links come after what they refer to. */
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
] as const

export type Kind = (typeof KINDS)[number]

/** A row of the database as visits need it. */
export type Entry = {
  id: number
  /** What a visit names it by, such as the host of a domain. Null for what is only found by its id. */
  name: string | null
  /** Its columns, by their names. */
  value: Record<string, unknown>
}

/** Finds entries. Undefined for one that the store does not have, which the database may have. */
export type Lookups = {
  get(kind: Kind, id: number): Entry | undefined
  find(kind: Kind, name: string): Entry | undefined
  /** All entries of a kind, or those whose names begin with `group` and a slash. Undefined if some may be missing. */
  list(kind: Kind, group?: string): Entry[] | undefined
}

/** A copy on this machine of what visits need from the database. */
export type LocalStore = {
  /** Finds only what is known to be as it is in the database. */
  current: Lookups
  /** Finds everything, as the store last saw it. For when the database cannot be reached. */
  latest: Lookups
  /** Records that an entry, or any of a kind, has changed in the database. */
  touch(kind: Kind, name?: string): void
  /** Records whether this process is notified of changes. Without that nothing is known to be current. */
  setSubscribed(now: boolean): void
}

const NOTHING: Lookups = { get: () => undefined, find: () => undefined, list: () => undefined }

/** The store of a process that has none. */
export const NO_STORE: LocalStore = {
  current: NOTHING,
  latest: NOTHING,
  touch: () => {},
  setSubscribed: () => {},
}
