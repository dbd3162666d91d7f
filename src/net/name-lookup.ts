import { Resolver } from 'node:dns/promises'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Lookup } from './checked-connector.ts'

type Options = {
  /** The timeout for all queries of one name. */
  timeoutMs?: number
  /** The `address:port` of each name server. Defaults to those of the system. */
  servers?: readonly string[]
  hostsFile?: string
}

/**
 * Once one address family is known, the maximum number of milliseconds to wait for the other one
 * (RFC 8305, section 3).
 */
const SECOND_FAMILY_MS = 200

/** The timeout for each of two attempts to query a name server. */
const ATTEMPT_TIMEOUT_MS = 1000
const LOOPBACK = ['127.0.0.1', '::1']

/**
 * Creates the lookup of host names. It reads the hosts file first, then queries the name servers
 * over separate sockets. The system's own lookup cannot be canceled, and it occupies one of the
 * process's few threads while a slow name server responds, which could delay looking up the
 * database host. Names are looked up without search domains.
 *
 * Rejects for an unknown name, after `timeoutMs`, and when the signal aborts.
 */
export function createNameLookup({
  timeoutMs = 3000,
  servers,
  hostsFile = '/etc/hosts',
}: Options = {}): Lookup {
  return async (hostname, signal) => {
    const name = hostname.toLowerCase().replace(/\.$/, '')
    const fromHosts = findInHosts(await readFile(hostsFile, 'utf8').catch(() => ''), name)
    if (fromHosts.length > 0) return fromHosts
    // These names are never sent to a name server (RFC 6761, section 6.3).
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK
    return queryServers(name, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]))
  }

  async function queryServers(name: string, signal: AbortSignal): Promise<readonly string[]> {
    signal.throwIfAborted()
    const resolver = new Resolver({ timeout: ATTEMPT_TIMEOUT_MS, tries: 2 })
    if (servers) resolver.setServers(servers)
    const cancel = () => resolver.cancel()
    signal.addEventListener('abort', cancel)
    try {
      return await queryBothFamilies(resolver, name, signal)
    } finally {
      signal.removeEventListener('abort', cancel)
      resolver.cancel()
    }
  }
}

/** Returns the addresses of both families, or of one family if the other is slow or missing. */
async function queryBothFamilies(resolver: Resolver, name: string, signal: AbortSignal) {
  const addresses: string[] = []
  const queries = [resolver.resolve4(name), resolver.resolve6(name)].map(async (query) => {
    addresses.push(...(await query))
  })
  const settled = Promise.allSettled(queries)
  try {
    await Promise.any(queries)
  } catch {
    signal.throwIfAborted()
    throw new Error(`no address of ${name} was found`)
  }
  await Promise.race([settled, sleep(SECOND_FAMILY_MS, undefined, { ref: false })])
  // A copy, so that a late address cannot join those that the caller has checked.
  return [...addresses]
}

/** Returns the IP addresses of a name in a hosts file (hosts(5)). */
function findInHosts(text: string, name: string): string[] {
  return text.split('\n').flatMap((line) => {
    const [address, ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/)
    return address && names.includes(name) ? [address] : []
  })
}
