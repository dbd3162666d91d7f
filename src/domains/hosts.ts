import type { BlockList } from '../blocked-hosts/block-list.ts'
import type { HostMatcher } from '../blocked-hosts/blocked-host.ts'
import { memo } from '../concurrency/memo.ts'
import { type LocalStore, type Lookups, NO_STORE } from '../db/local-store.ts'
import type { Db } from '../db/pool.ts'
import { createReadCache } from '../db/read-cache.ts'
import { isIpAddress, normalizeHost, withoutPort } from '../urls/host.ts'
import type { BrandedDomain } from './branded-domain.ts'
import { findVisitedDomain, toVisitedDomain, type VisitedDomainRow } from './host.queries.ts'

/**
 * The host that a `Host` header names: the service itself, a registered domain, or an unknown host.
 */
export type Host =
  | { kind: 'service' }
  | { kind: 'domain'; domain: BrandedDomain }
  | { kind: 'unknown' }

export type Hosts = ReturnType<typeof createHosts>

type Dependencies = {
  db: Db
  serviceHosts: readonly string[]
  blockList: Pick<BlockList, 'current' | 'peek' | 'latest'>
  store?: LocalStore | undefined
}

const SERVICE: Host = { kind: 'service' }
const UNKNOWN: Host = { kind: 'unknown' }

/**
 * Resolves hosts. `serviceHosts` are the service's own hosts, as `host:port` without a default
 * port. Their names on other ports, `localhost` and IP addresses cannot be branded domains and are
 * never looked up.
 */
export function createHosts({ db, serviceHosts, blockList, store = NO_STORE }: Dependencies) {
  const ownHosts = new Set(serviceHosts.flatMap((host) => [host, normalizeHost(host)]))
  const reservedNames = new Set(['localhost', ...[...ownHosts].map(withoutPort)])
  const normalizeCached = memo(normalizeHost, 10_000)
  const cache = createReadCache<BrandedDomain>({
    load: async (host) => {
      if (isReserved(host) || store.isAbsent('domain', host)) return null
      return removeBlockedRedirects(await findVisitedDomain(db, host), await blockList.current())
    },
    findCurrent: (host) => findStored(store.current, host, blockList.peek()),
    findLatest: (host) => findStored(store.latest, host, blockList.latest()),
    max: 10_000,
  })

  /**
   * Returns the domain from the store, or undefined if it is not stored or the blocked hosts are
   * unknown.
   */
  function findStored(lookups: Lookups, host: string, list: HostMatcher | undefined) {
    if (!list || isReserved(host)) return undefined
    const domain = findStoredDomain(lookups, host)
    return domain && removeBlockedRedirects(domain, list)
  }

  function normalize(header: string): string {
    return header.length <= 255 ? normalizeCached(header) : normalizeHost(header)
  }

  function isReserved(host: string): boolean {
    const name = withoutPort(host)
    return reservedNames.has(name) || isIpAddress(name)
  }

  return {
    cache,

    /** Invalidates the domains of an account. */
    invalidateAccount(id: number): void {
      store.touch('account')
      cache.invalidateWhere(({ accountId }) => accountId === id)
    },

    /** Invalidates the domain of a host. */
    invalidate(host: string): void {
      store.touch('domain')
      store.touch('domain', host)
      cache.invalidate(host)
    },

    /**
     * Returns whether `host` (in the form of a URL's `host`) is one of ours, including branded
     * domains.
     */
    async isOurs(host: string): Promise<boolean> {
      const name = normalize(host)
      return ownHosts.has(name) || (await cache.get(name)) !== null
    },

    /** Returns whether a normalized `host` is the service itself. */
    isService: (host: string): boolean => ownHosts.has(host),

    /**
     * Returns whether a normalized `host` cannot become a branded domain, because it is one of our
     * own hosts on any port, or an IP address.
     */
    isReserved,

    /**
     * Returns whether a name without a port may get a certificate, because it is one of the
     * service's own or a registered domain. Usually needs no query. Throws AppError
     * `database_unavailable`.
     */
    async mayHaveCertificate(name: string): Promise<boolean> {
      const host = /[:\p{C}]/u.test(name) ? '' : normalize(name)
      if (host === '' || host === 'localhost' || isIpAddress(host)) return false
      return reservedNames.has(host) || (await cache.get(host)) !== null
    },

    /**
     * Returns whether a `Host` header names the service, or this machine as `localhost` or an IP
     * address.
     */
    isMachine(header: string): boolean {
      const host = normalize(header)
      const name = withoutPort(host)
      return ownHosts.has(host) || name === 'localhost' || isIpAddress(name)
    },

    /**
     * Works like `resolve` for the service and for domains that are in memory. Returns undefined
     * for all other hosts.
     */
    peek(header: string): Host | undefined {
      if (ownHosts.has(header)) return SERVICE
      const domain = cache.peek(normalize(header))
      return domain && { kind: 'domain', domain }
    },

    /** Resolves a `Host` header. Throws AppError `database_unavailable`. */
    async resolve(header: string): Promise<Host> {
      const host = normalize(header)
      if (ownHosts.has(host)) return SERVICE
      if (host === '') return UNKNOWN
      const domain = await cache.get(host)
      return domain ? { kind: 'domain', domain } : UNKNOWN
    },
  }
}

/**
 * Removes the redirects of `/` and of unknown aliases from a domain if they lead to blocked hosts.
 */
function removeBlockedRedirects<Domain extends BrandedDomain | null>(
  domain: Domain,
  list: HostMatcher,
) {
  const withoutBlocked = (url: string | null) =>
    url !== null && list.blocksDestination(url) ? null : url
  return (
    domain && {
      ...domain,
      redirectRoot: withoutBlocked(domain.redirectRoot),
      redirect404: withoutBlocked(domain.redirect404),
    }
  )
}

/**
 * Assembles the domain of a host from entries in the local store. Returns undefined if any entry is
 * missing.
 */
function findStoredDomain({ get, find }: Lookups, host: string): BrandedDomain | undefined {
  const domain = find('domain', host)
  const account = domain && get('account', Number(domain.value.account_id))
  if (!account) return undefined
  const { suspended_at } = account.value
  return toVisitedDomain({ ...domain.value, id: domain.id, host, suspended_at } as VisitedDomainRow)
}
