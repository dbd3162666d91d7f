import type { BlockList } from '../blocked-hosts/block-list.ts'
import type { HostMatcher } from '../blocked-hosts/blocked-host.ts'
import { createDataLoader } from '../concurrency/data-loader.ts'
import { convertDatabaseError } from '../db/errors.ts'
import { type LocalStore, type Lookups, NO_STORE } from '../db/local-store.ts'
import type { SharedResource } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { prepareStatement } from '../db/prepared.ts'
import { createReadCache } from '../db/read-cache.ts'
import { trimAlias } from '../urls/alias.ts'
import type { LinkAddress } from './link.ts'
import { createFindVisitLinks, findStoredLink, type KnownLink } from './visit/visit-link.queries.ts'

type Row = { position: number; alias: string }

export type VisitLinks = ReturnType<typeof createVisitLinks>

/** Looks up links by domain and alias in memory, in the local store or in the database. */
export function createVisitLinks({
  db,
  baseUrl,
  blockList,
  store = NO_STORE,
  max = 100_000,
  maxWaitMs,
  isForgiving = true,
}: {
  db: Db
  baseUrl: string
  blockList: Pick<BlockList, 'current' | 'peek' | 'latest'>
  store?: LocalStore | undefined
  max?: number
  maxWaitMs?: number | undefined
  /** Whether `findSimilar` finds anything. */
  isForgiving?: boolean
}) {
  const find = createDataLoader({ load: createFindVisitLinks(db, baseUrl) })
  const findOtherCases = createDataLoader({ load: createFindOtherCases(db) })
  const cache = createReadCache<KnownLink>({
    max,
    maxWaitMs,
    load: async (key) => {
      const list = await blockList.current()
      if (store.isAbsent('link', key)) return null
      return findStored(store.current, key, list) ?? markBlocked(await find(parseKey(key)), list)
    },
    findCurrent: (key) => findStored(store.current, key, blockList.peek()),
    findLatest: (key) => findStored(store.latest, key, blockList.latest()),
    tagsOf: ({ parts }) => parts,
  })

  /**
   * Returns the link from the store, or undefined if it is not stored or the blocked hosts are
   * unknown.
   */
  function findStored(lookups: Lookups, key: string, list: HostMatcher | undefined) {
    const link = list && findStoredLink(lookups, baseUrl, parseKey(key))
    return link && markBlocked(link, list)
  }

  /**
   * Returns the only alias that equals this one except for case, or undefined. An edge learns from its
   * store only that there is none. Otherwise, this throws AppError `database_unavailable` there, so that
   * the main installation decides, which knows the aliases of deleted links.
   */
  async function findOtherCase(domainId: number | null, alias: string) {
    if (store.isAbsentInAnyCase('link', toKey(domainId, alias))) return undefined
    return findOtherCases({ domainId, alias }).catch((error: unknown) => {
      throw convertDatabaseError(error)
    })
  }

  return {
    cache,
    /** Returns the link if it is available without waiting. */
    peek: (domainId: number | null, alias: string) => cache.peek(toKey(domainId, alias)),
    /**
     * Returns the link, or null if it does not exist. Throws AppError `database_unavailable` if
     * neither is known.
     */
    find: (domainId: number | null, alias: string) => cache.get(toKey(domainId, alias)),
    /** Returns whether the local store has no link at an address. See `LocalStore.lacks`. */
    isUnstored: (domainId: number | null, alias: string): boolean =>
      store.lacks('link', toKey(domainId, alias)),
    /**
     * Returns the link that was probably meant by an alias that does not exist: without appended
     * characters, or else in another case. Null if there is none, or if several match.
     */
    async findSimilar(domainId: number | null, text: string): Promise<KnownLink | null> {
      const alias = isForgiving ? trimAlias(text) : undefined
      if (alias === undefined) return null
      const link = alias === text ? null : await cache.get(toKey(domainId, alias))
      if (link) return link
      const other = await findOtherCase(domainId, alias)
      return other === undefined ? null : cache.get(toKey(domainId, other))
    },
    /** Invalidates the link at an address after a change. */
    invalidate(domainId: number | null, alias: string): void {
      const key = toKey(domainId, alias)
      store.touch('link', key)
      cache.invalidate(key)
    },
    /** Invalidates the links that use a pixel, splash page or overlay. */
    invalidatePart({ kind, id }: SharedResource): void {
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
    /** Invalidates the links with a destination on a host or its subdomains. */
    invalidateHost: (host: string) =>
      cache.invalidateWhere((link) => listDestinations(link).some((url) => mayBeOnHost(url, host))),
  }
}

function toKey(domainId: number | null, alias: string): string {
  return domainId === null ? `/${alias}` : `${domainId}/${alias}`
}

function parseKey(key: string): LinkAddress {
  const cut = key.indexOf('/')
  return { domainId: cut === 0 ? null : Number(key.slice(0, cut)), alias: key.slice(cut + 1) }
}

/** Returns every URL to which a link, its splash page or its overlay may lead, as stored. */
function listDestinations({ url, rules, split, lifetime, splash, overlay }: KnownLink): string[] {
  const others = [lifetime?.expiredUrl ?? [], splash?.link ?? [], overlay?.link ?? []]
  const conditionalUrls = [...rules, ...(split?.variants ?? [])].map(({ to }) => to)
  return [url, ...conditionalUrls, ...others.flat()]
}

/**
 * Records which of a link's destinations are blocked. This is done when the link is read, not on
 * each visit. When a blocked host changes, the affected links are invalidated.
 */
function markBlocked<Link extends KnownLink | null>(link: Link, list: HostMatcher): Link {
  if (!link || list.isEmpty) return link
  const blocked = listDestinations(link).filter((url) => list.blocksDestination(url))
  if (blocked.length > 0) link.blockedDestinations = new Set(blocked)
  return link
}

/**
 * Returns whether a URL may be on a host. Only searches for the host's name, because parsing the
 * URLs of all cached links would be slow. Stored URLs contain hosts in normalized form, except for
 * IPv4 addresses inside IPv6 ones.
 */
function mayBeOnHost(url: string, host: string): boolean {
  return url.includes(host) || url.includes('://[')
}

/**
 * Creates the function that returns the only other alias on the host that equals an alias except for
 * case, or undefined, in the order of the addresses. Returns none if the alias is that of a deleted
 * link: its visitors must not get the link of somebody else. The arrays are read in a subquery for the
 * same reason as in `createFindVisitLinks`.
 */
function createFindOtherCases(db: Db) {
  const find = prepareStatement<Row>(`
    select requested.position, found.alias
    from unnest((select $1::text[]), (select $2::bigint[])) with ordinality
      as requested (alias, domain_id, position)
    cross join lateral (
      select alias from links
      where fold_case(alias) collate "C" = fold_case(requested.alias)
        and coalesce(domain_id, 0) = requested.domain_id and kind <> 'deleted'
        and not exists (
          select from links deleted
          where deleted.alias = requested.alias and coalesce(deleted.domain_id, 0) = requested.domain_id)
        and not exists (
          select from held_aliases held
          where held.alias = requested.alias
            and held.host = coalesce((select host from domains where id = requested.domain_id), ''))
      limit 2
    ) as found`)

  return async (addresses: readonly LinkAddress[]): Promise<(string | undefined)[]> => {
    const domains = addresses.map(({ domainId }) => domainId ?? 0)
    const rows = await find(db, [addresses.map(({ alias }) => alias), domains])
    const found = addresses.map((): string[] => [])
    for (const { position, alias } of rows) found[position - 1]?.push(alias)
    return found.map((aliases) => (aliases.length === 1 ? aliases[0] : undefined))
  }
}
