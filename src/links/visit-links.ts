import type { BlockList } from '../blocked-hosts/block-list.ts'
import type { HostMatcher } from '../blocked-hosts/blocked-host.ts'
import { createDataLoader } from '../concurrency/data-loader.ts'
import { type LocalStore, type Lookups, NO_STORE } from '../db/local-store.ts'
import type { SharedPart } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { createReadCache } from '../db/read-cache.ts'
import { findStoredLink } from './stored-link.ts'
import { createFindVisitLinks, type KnownLink, type LinkAddress } from './visit-link.queries.ts'

export type VisitLinks = ReturnType<typeof createVisitLinks>

/** Looks up links by domain and alias, in memory, in the local store or in the database. */
export function createVisitLinks({
  db,
  baseUrl,
  blockList,
  store = NO_STORE,
  max = 100_000,
  maxWaitMs,
}: {
  db: Db
  baseUrl: string
  blockList: Pick<BlockList, 'current' | 'peek' | 'latest'>
  store?: LocalStore | undefined
  max?: number
  maxWaitMs?: number | undefined
}) {
  const find = createDataLoader({ load: createFindVisitLinks(db, baseUrl) })
  const cache = createReadCache<KnownLink>({
    max,
    maxWaitMs,
    load: async (key) => {
      const list = await blockList.current()
      if (store.lacks('link', key)) return null
      return findStored(store.current, key, list) ?? withBlocked(await find(addressOf(key)), list)
    },
    findCurrent: (key) => findStored(store.current, key, blockList.peek()),
    findLatest: (key) => findStored(store.latest, key, blockList.latest()),
    tagsOf: ({ parts }) => parts,
  })

  /**
   * Returns the link from the store, or undefined if it is not there or the blocked hosts are
   * unknown.
   */
  function findStored(lookups: Lookups, key: string, list: HostMatcher | undefined) {
    const link = list && findStoredLink(lookups, baseUrl, addressOf(key))
    return link && withBlocked(link, list)
  }

  return {
    cache,
    /** Returns the link if it is available without waiting. */
    peek: (domainId: number | null, alias: string) => cache.peek(keyOf(domainId, alias)),
    /**
     * Returns the link, or null if it does not exist. Throws AppError `database_unavailable` if
     * that is unknown.
     */
    find: (domainId: number | null, alias: string) => cache.get(keyOf(domainId, alias)),
    /** Invalidates a changed link. */
    invalidate(domainId: number | null, alias: string): void {
      const key = keyOf(domainId, alias)
      store.touch('link', key)
      cache.invalidate(key)
    },
    /** Invalidates the links that use a pixel, splash page or overlay. */
    invalidatePart({ kind, id }: SharedPart): void {
      store.touch(kind)
      cache.invalidateTagged(`${kind} ${id}`)
    },
    /** Invalidates the links of an account. */
    invalidateAccount(id: number): void {
      store.touch('account')
      cache.invalidateWhere(({ accountId }) => accountId === id)
    },
    /** Invalidates the links of a domain. */
    invalidateDomain(id: number): void {
      store.touch('domain')
      cache.invalidateWhere(({ domainId }) => domainId === id)
    },
    /** Invalidates the links that may lead to a host or its subdomains. */
    invalidateHost: (host: string) =>
      cache.invalidateWhere((link) => addressesOf(link).some((url) => mayLeadTo(url, host))),
  }
}

function keyOf(domainId: number | null, alias: string): string {
  return domainId === null ? `/${alias}` : `${domainId}/${alias}`
}

function addressOf(key: string): LinkAddress {
  const cut = key.indexOf('/')
  return { domainId: cut === 0 ? null : Number(key.slice(0, cut)), alias: key.slice(cut + 1) }
}

/** Returns every URL that a link, its splash page or its overlay may lead to, as stored. */
function addressesOf({ url, rules, split, lifetime, splash, overlay }: KnownLink): string[] {
  const others = [lifetime?.expiredUrl ?? [], splash?.link ?? [], overlay?.link ?? []]
  const chosen = [...rules, ...(split?.variants ?? [])].map(({ to }) => to)
  return [url, ...chosen, ...others.flat()]
}

/**
 * Records which of a link's destinations are blocked. Done when the link is read, not per visit: a
 * change of a blocked host invalidates the affected links.
 */
function withBlocked<Link extends KnownLink | null>(link: Link, list: HostMatcher): Link {
  if (!link || list.isEmpty) return link
  const blocked = addressesOf(link).filter((url) => list.blocksTarget(url))
  if (blocked.length > 0) link.blocked = new Set(blocked)
  return link
}

/**
 * Searches for the host's name only, because parsing the URLs of all cached links would be slow.
 * Stored URLs spell hosts in the compared form, except for IPv4 addresses inside IPv6 ones.
 */
function mayLeadTo(url: string, host: string): boolean {
  return url.includes(host) || url.includes('://[')
}
