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

/** Links by the domain and alias that visitors ask for: from memory, the local store or the database. */
export function createVisitLinks({
  db,
  baseUrl,
  blockList,
  store = NO_STORE,
  max = 100_000,
  patience,
}: {
  db: Db
  baseUrl: string
  blockList: Pick<BlockList, 'current' | 'peek' | 'latest'>
  store?: LocalStore | undefined
  max?: number
  patience?: number | undefined
}) {
  const find = createDataLoader({ load: createFindVisitLinks(db, baseUrl) })
  const cache = createReadCache<KnownLink>({
    max,
    patience,
    load: async (key) => {
      const list = await blockList.current()
      return findStored(store.current, key, list) ?? withBlocked(await find(addressOf(key)), list)
    },
    findCurrent: (key) => findStored(store.current, key, blockList.peek()),
    findLatest: (key) => findStored(store.latest, key, blockList.latest()),
    tagsOf: ({ parts }) => parts,
  })

  /** The link in the store. Undefined also while the blocked hosts are not known. */
  function findStored(lookups: Lookups, key: string, list: HostMatcher | undefined) {
    const link = list && findStoredLink(lookups, baseUrl, addressOf(key))
    return link && withBlocked(link, list)
  }

  return {
    cache,
    /** The link if it can be had without waiting. */
    peek: (domainId: number | null, alias: string) => cache.peek(keyOf(domainId, alias)),
    /** The link, or null. Throws AppError `database_unavailable` when neither can be known. */
    find: (domainId: number | null, alias: string) => cache.get(keyOf(domainId, alias)),
    /** Has the link read again, after a change of it. */
    invalidate(domainId: number | null, alias: string): void {
      const key = keyOf(domainId, alias)
      store.touch('link', key)
      cache.invalidate(key)
    },
    /** Has the links read again that are made of a pixel, a splash page or an overlay. */
    invalidatePart({ kind, id }: SharedPart): void {
      store.touch(kind)
      cache.invalidateTagged(`${kind} ${id}`)
    },
    /** Has the links of an account read again. */
    invalidateAccount(id: number): void {
      store.touch('account')
      cache.invalidateWhere(({ accountId }) => accountId === id)
    },
    /** Has the links read again that may lead to a host or below it. */
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

/** Everything that a link, its splash page or its overlay may lead to, as it is stored. */
function addressesOf({ url, rules, splash, overlay }: KnownLink): string[] {
  return [url, ...rules.map(({ to }) => to), ...[splash?.link ?? [], overlay?.link ?? []].flat()]
}

/**
 * Notes in a link which of its destinations are blocked. When it is read and not at each visit: a change of
 * a blocked host has the links read again that it concerns.
 */
function withBlocked<Link extends KnownLink | null>(link: Link, list: HostMatcher): Link {
  if (!link || list.isEmpty) return link
  const blocked = addressesOf(link).filter((url) => list.blocksTarget(url))
  if (blocked.length > 0) link.blocked = new Set(blocked)
  return link
}

/**
 * Looks for the name alone, since as many addresses as are kept would take a moment to parse; stored ones
 * spell it as it is compared, but for addresses of IPv4 inside those of IPv6.
 */
function mayLeadTo(url: string, host: string): boolean {
  return url.includes(host) || url.includes('://[')
}
