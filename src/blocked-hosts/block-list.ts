import { type LocalStore, NO_STORE } from '../db/local-store.ts'
import type { Db } from '../db/pool.ts'
import { AppError, invalid } from '../errors.ts'
import { readBlockedHosts } from './blocked-host.queries.ts'
import { createHostMatcher, type HostMatcher } from './blocked-host.ts'

export type BlockList = ReturnType<typeof createBlockList>

type Dependencies = {
  db: Db
  /** Whether the list is read from the store, as on an edge. */
  isStored?: boolean
  store?: LocalStore
  /** Milliseconds for which the list is cached while notifications may be missed. */
  unsubscribedTtlMs?: number
  monotonic?: () => number
}

/**
 * Caches the blocked hosts in this process. Until it receives notifications of changes, it reads
 * the list regularly. Unlike other caches, it never returns an outdated list while reading a new
 * one, because decisions based on the list are cached too.
 */
export function createBlockList({
  db,
  isStored = false,
  store = NO_STORE,
  unsubscribedTtlMs = 1000,
  monotonic = () => performance.now(),
}: Dependencies) {
  let reading: Promise<HostMatcher> | undefined
  /** The last list that was read. */
  let last: HostMatcher | undefined
  let isFresh = false
  let readAt = 0
  let isSubscribed = false

  function read(): Promise<HostMatcher> {
    const newRead = load().then((list) => {
      if (reading === newRead) {
        last = list
        isFresh = true
      }
      return list
    })
    newRead.catch(() => {
      if (reading === newRead) reading = undefined
    })
    readAt = monotonic()
    return newRead
  }

  async function load(): Promise<HostMatcher> {
    if (!isStored) return createHostMatcher(await readBlockedHosts(db))
    const list = readStored()
    if (!list) throw new AppError('database_unavailable')
    return list
  }

  function clear(): void {
    reading = undefined
    isFresh = false
  }

  /** Returns the local store's list, if it has one. */
  function readStored(): HostMatcher | undefined {
    const hosts = store.latest.list('blocked_host')
    return (
      hosts &&
      createHostMatcher(
        hosts.map(({ name, value }) => ({
          host: name ?? '',
          subdomains: value.subdomains === true,
        })),
      )
    )
  }

  /**
   * Returns the currently blocked hosts. Throws database errors, and AppError
   * `database_unavailable` if the list should be read from a store that does not have it.
   */
  function current(): Promise<HostMatcher> {
    const isOutdated = !isSubscribed && monotonic() - readAt > unsubscribedTtlMs
    if (reading === undefined || isOutdated) reading = read()
    return reading
  }

  return {
    current,

    /** Returns the list if it is in memory and current, and otherwise undefined. */
    peek: (): HostMatcher | undefined => (isSubscribed && isFresh ? last : undefined),

    /** Returns the last known list, even if it is outdated, or undefined if none is known. */
    latest(): HostMatcher | undefined {
      last ??= readStored()
      return last
    },

    /**
     * Rejects a URL on a blocked host.
     *
     * @throws AppError `invalid_input` naming `field`
     */
    async check(field: string, url: URL): Promise<void> {
      const list = await current()
      if (list.blocks(url)) throw invalid(field, 'blocked_host')
    },

    /** Invalidates the list after a change. */
    invalidate(): void {
      store.touch('blocked_host')
      clear()
    },

    /** Records whether notifications are received. When this changes, some may have been missed. */
    setSubscribed(isNowSubscribed: boolean): void {
      isSubscribed = isNowSubscribed
      clear()
    },
  }
}
