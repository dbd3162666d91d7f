import { isIP } from 'node:net'
import type { BlockList } from '../blocked-hosts/block-list.ts'
import type { HostMatcher } from '../blocked-hosts/blocked-host.ts'
import { memo } from '../concurrency/memo.ts'
import { type LocalStore, type Lookups, NO_STORE } from '../db/local-store.ts'
import type { Db } from '../db/pool.ts'
import { createReadCache } from '../db/read-cache.ts'
import type { BrandedDomain } from './branded-domain.ts'
import { findVisitedDomain } from './host.queries.ts'
import { findStoredDomain } from './stored-domain.ts'

/** What a request's `Host` names: the service itself, a registered domain, or nothing we know. */
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
 * Who answers to which host. `serviceHosts` are the service's own, `host:port` without a default
 * port. Nobody has their names on other ports, `localhost` or an address: these are not looked up,
 * so that a domain which was registered there before that was refused is not served.
 */
export function createHosts({ db, serviceHosts, blockList, store = NO_STORE }: Dependencies) {
  const own = new Set(serviceHosts.flatMap((host) => [host, normalizeHost(host)]))
  const reserved = new Set(['localhost', ...[...own].map(nameOf)])
  const normalizeShort = memo(normalizeHost, 10_000)
  const cache = createReadCache<BrandedDomain>({
    load: async (host) => {
      if (isReserved(host)) return null
      return withoutBlocked(await findVisitedDomain(db, host), await blockList.current())
    },
    findCurrent: (host) => findStored(store.current, host, blockList.peek()),
    findLatest: (host) => findStored(store.latest, host, blockList.latest()),
    max: 10_000,
  })

  /** The domain in the store. Undefined also while the blocked hosts are not known. */
  function findStored(lookups: Lookups, host: string, list: HostMatcher | undefined) {
    if (!list || isReserved(host)) return undefined
    const domain = findStoredDomain(lookups, host)
    return domain && withoutBlocked(domain, list)
  }

  function normalize(header: string): string {
    return header.length <= 255 ? normalizeShort(header) : normalizeHost(header)
  }

  function isReserved(host: string): boolean {
    const name = nameOf(host)
    return reserved.has(name) || isAddress(name)
  }

  return {
    cache,

    /** Has the domains of an account read again. */
    invalidateAccount(id: number): void {
      store.touch('account')
      cache.invalidateWhere(({ accountId }) => accountId === id)
    },

    /** Has the domain of a host read again. */
    invalidate(host: string): void {
      store.touch('domain')
      store.touch('domain', host)
      cache.invalidate(host)
    },

    /** Whether `host`, as in a URL's `host`, is one of ours, the branded ones included. */
    async isOurs(host: string): Promise<boolean> {
      const name = normalize(host)
      return own.has(name) || (await cache.get(name)) !== null
    },

    /** Whether `host`, normalised, is the service itself and not a branded domain. */
    isService: (host: string): boolean => own.has(host),

    /** Whether `host`, normalised, may not become a branded domain: ours on any port, an address. */
    isReserved,

    /**
     * Whether a name, without a port, is one that visitors may open by https: the service's own or a
     * registered domain, mostly from memory. Throws AppError `database_unavailable`.
     */
    async mayHaveCertificate(name: string): Promise<boolean> {
      const host = /[:\p{C}]/u.test(name) ? '' : normalize(name)
      if (host === '' || host === 'localhost' || isAddress(host)) return false
      return reserved.has(host) || (await cache.get(host)) !== null
    },

    /** Whether a `Host` header names the service, or this machine by `localhost` or an address. */
    isMachine(header: string): boolean {
      const host = normalize(header)
      const name = nameOf(host)
      return own.has(host) || name === 'localhost' || isAddress(name)
    },

    /** The same as `resolve` if it is known without asking the database. */
    peek(header: string): Host | undefined {
      if (own.has(header)) return SERVICE
      const domain = cache.peek(normalize(header))
      return domain && { kind: 'domain', domain }
    },

    /** Whose host the `Host` header names. Throws AppError `database_unavailable`. */
    async resolve(header: string): Promise<Host> {
      const host = normalize(header)
      if (own.has(host)) return SERVICE
      if (host === '') return UNKNOWN
      const domain = await cache.get(host)
      return domain ? { kind: 'domain', domain } : UNKNOWN
    },
  }
}

/** The domain, which leads nowhere that the operator has blocked. */
function withoutBlocked<Domain extends BrandedDomain | null>(domain: Domain, list: HostMatcher) {
  const unblocked = (target: string | null) =>
    target !== null && list.blocksTarget(target) ? null : target
  return (
    domain && {
      ...domain,
      redirectRoot: unblocked(domain.redirectRoot),
      redirect404: unblocked(domain.redirect404),
    }
  )
}

/**
 * The form in which hosts are stored and compared: lower case, IDN as punycode, without a default
 * port or the root's dot. `''` for what is no host.
 */
export function normalizeHost(header: string): string {
  if (/[/?#@\\\s]/.test(header)) return ''
  const url = URL.canParse(`http://${header}`) ? new URL(`http://${header}`) : undefined
  if (!url) return ''
  const port = url.port === '443' ? '' : url.port
  const name = url.hostname.replace(/\.$/, '')
  return port ? `${name}:${port}` : name
}

/** Whether the name of a normalised host is a network address. */
export function isAddress(name: string): boolean {
  return name.startsWith('[') || isIP(name) !== 0
}

/** A normalised host without its port. */
export function nameOf(host: string): string {
  return host.replace(/:\d+$/, '')
}

/** The host that a client means by a domain, which it names with or without a scheme. */
export function namedHost(domain: string): string {
  return normalizeHost(domain.replace(/^https?:\/\//i, '').replace(/\/$/, ''))
}
