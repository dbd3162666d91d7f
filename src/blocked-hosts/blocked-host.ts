import ipaddr from 'ipaddr.js'
import { invalid } from '../errors.ts'
import { embeddedIPv4 } from '../net/embedded-ipv4.ts'
import { parseWebUrl } from '../target-url.ts'

/** A host that no link may lead to. */
export type BlockedHost = {
  /** As `canonicalHost` gives it. */
  host: string
  /** Whether everything below it is meant too. */
  subdomains: boolean
  reason: string | null
  /** The username of the admin who did it, or the name of the command line. */
  by: string
  at: Date
}

/** What is wrong with a target that leads to such a host, as it follows the name of the field. */
export const LEADS_TO_BLOCKED_HOST = 'leads to a host that is blocked on this service'

/**
 * Returns the host of a URL as blocked hosts are compared: what the URL standard makes of case, IDN,
 * percent signs and the spellings of IPv4 addresses, without the root's dots and the port, and an IPv6
 * address that wraps an IPv4 address (mapped, NAT64, 6to4, Teredo) as the latter.
 */
export function canonicalHost(url: Pick<URL, 'hostname'>): string {
  const [host = ''] = canonicalHosts(url)
  return host
}

/** Returns the canonical host first, then what else a host leads to: the server of a Teredo address. */
function canonicalHosts({ hostname }: Pick<URL, 'hostname'>): string[] {
  const host = hostname.replace(/\.+$/, '')
  const embedded = host.startsWith('[') ? embeddedIPv4(ipaddr.parse(host.slice(1, -1))) : []
  return embedded.length > 0 ? embedded : [host]
}

/**
 * Reads which host is to be blocked: a host, or any URL on it, in whatever spelling. `*.` or a dot before
 * it stands for everything below it.
 *
 * @throws AppError `invalid_input` naming `host`
 */
export function parseBlockedHost(
  given: string,
  wantsSubdomains = false,
): Pick<BlockedHost, 'host' | 'subdomains'> {
  const [, prefix = '', rest = ''] = /^\s*(\*?\.)?(.*?)\s*$/s.exec(given) ?? []
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(rest) ? parseWebUrl(rest) : parseBareHost(rest)
  const host = url && canonicalHost(url)
  if (!host || host.length > MAX_LENGTH) throw invalid('host', 'must be a host name or an address')
  const subdomains = wantsSubdomains || prefix !== ''
  if (subdomains && isAddress(host)) throw invalid('host', 'is an address, which has no subdomains')
  return { host, subdomains }
}

const MAX_LENGTH = 255

function parseBareHost(text: string): URL | undefined {
  return /[/?#@\\\s]/.test(text) ? undefined : parseWebUrl(`http://${text}/`)
}

/** Whether a canonical host is an address and no name. */
export function isAddress(host: string): boolean {
  return host.startsWith('[') || ipaddr.IPv4.isValidFourPartDecimal(host)
}

export type HostMatcher = ReturnType<typeof createHostMatcher>

/** Says of targets whether their hosts are blocked, in a time that the length of the list does not change. */
export function createHostMatcher(blocked: readonly Pick<BlockedHost, 'host' | 'subdomains'>[]) {
  const exact = new Set(blocked.map(({ host }) => host))
  const above = new Set(blocked.flatMap(({ host, subdomains }) => (subdomains ? host : [])))

  function blocks(url: Pick<URL, 'hostname'>): boolean {
    if (exact.size === 0) return false
    const [host = '', ...others] = canonicalHosts(url)
    if (exact.has(host) || others.some((other) => exact.has(other))) return true
    for (
      let dot = host.indexOf('.');
      above.size > 0 && dot >= 0;
      dot = host.indexOf('.', dot + 1)
    ) {
      if (above.has(host.slice(dot + 1))) return true
    }
    return false
  }

  return {
    isEmpty: exact.size === 0,
    /** Whether nothing may lead to the host of this URL. */
    blocks,
    /** The same for a stored target; what is no URL leads nowhere. */
    blocksTarget(target: string): boolean {
      const url = exact.size > 0 ? URL.parse(target) : null
      return url !== null && blocks(url)
    },
  }
}
