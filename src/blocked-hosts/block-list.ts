import { type LocalStore, NO_STORE } from '../db/local-store.ts'
import type { Db } from '../db/pool.ts'
import { invalid } from '../errors.ts'
import { readBlockedHosts } from './blocked-host.queries.ts'
import { createHostMatcher, type HostMatcher, LEADS_TO_BLOCKED_HOST } from './blocked-host.ts'

export type BlockList = ReturnType<typeof createBlockList>

type Dependencies = {
  db: Db
  store?: LocalStore
  /** Milliseconds that the list is believed while notifications of changes may be missed. */
  unsubscribedFor?: number
  monotonic?: () => number
}

/**
 * The blocked hosts in the memory of this process, read again all the time until it is told that it
 * hears of changes. Unlike other caches, an old list is
 * never handed out while a new one is read: what is decided by it is kept as well.
 */
export function createBlockList({
  db,
  store = NO_STORE,
  unsubscribedFor = 1000,
  monotonic = () => performance.now(),
}: Dependencies) {
  let reading: Promise<HostMatcher> | undefined
  /** The list that was read last, and whether it still holds. */
  let last: HostMatcher | undefined
  let isFresh = false
  let readAt = 0
  let subscribed = false

  function read(): Promise<HostMatcher> {
    const fresh = readBlockedHosts(db).then((hosts) => {
      const list = createHostMatcher(hosts)
      if (reading === fresh) {
        last = list
        isFresh = true
      }
      return list
    })
    fresh.catch(() => {
      if (reading === fresh) reading = undefined
    })
    readAt = monotonic()
    return fresh
  }

  function forget(): void {
    reading = undefined
    isFresh = false
  }

  /** The list of the local store; undefined if that has none. */
  function stored(): HostMatcher | undefined {
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

  /** The hosts that are blocked now. Throws what the database throws. */
  function current(): Promise<HostMatcher> {
    const isOld = !subscribed && monotonic() - readAt > unsubscribedFor
    if (reading === undefined || isOld) reading = read()
    return reading
  }

  return {
    current,

    /** The same if it is in memory; undefined if it must be read first. */
    peek: (): HostMatcher | undefined => (subscribed && isFresh ? last : undefined),

    /** The last list that is known, also without the database. */
    latest(): HostMatcher | undefined {
      last ??= stored()
      return last
    },

    /** Refuses a target on a blocked host. @throws AppError `invalid_input` naming `field` */
    async check(field: string, url: URL): Promise<void> {
      const list = await current()
      if (list.blocks(url)) throw invalid(field, LEADS_TO_BLOCKED_HOST)
    },

    /** Has the list read again, after a change of it. */
    invalidate(): void {
      store.touch('blocked_host')
      forget()
    },

    /** Says whether changes arrive; either turn means that some may have been missed. */
    setSubscribed(now: boolean): void {
      subscribed = now
      forget()
    },
  }
}
