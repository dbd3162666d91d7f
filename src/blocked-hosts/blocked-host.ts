import ipaddr from 'ipaddr.js'
import { invalid } from '../errors.ts'
import { listEmbeddedIPv4 } from '../net/address-policy.ts'
import { parseWebUrl } from '../urls/destination-url.ts'

/** A host that links must not lead to. */
export type BlockedHost = {
  /** The host in the form that `toCanonicalHost` returns. */
  host: string
  /** Whether all subdomains are blocked too. */
  subdomains: boolean
  reason: string | null
  /** The username of the admin, or the name of the command line. */
  by: string
  at: Date
}

const MAX_HOST_LENGTH = 255

/**
 * Returns the host of a URL in canonical form. It is normalized by the URL standard (case, IDN,
 * percent-encoding, IPv4 notations) and has no trailing dots and no port. An IPv6 address that
 * embeds an IPv4 address (mapped, NAT64, 6to4, Teredo) is replaced by the latter.
 */
export function toCanonicalHost(url: Pick<URL, 'hostname'>): string {
  const [host = ''] = listCanonicalHosts(url)
  return host
}

/**
 * Returns the canonical host, and other hosts to which it leads, such as the server of a Teredo
 * address.
 */
function listCanonicalHosts({ hostname }: Pick<URL, 'hostname'>): string[] {
  const host = hostname.replace(/\.+$/, '')
  const embedded = host.startsWith('[') ? listEmbeddedIPv4(ipaddr.parse(host.slice(1, -1))) : []
  return embedded.length > 0 ? embedded : [host]
}

/**
 * Parses the host to block, which may be a host or a URL in any spelling. With a leading `*.` or
 * dot, all subdomains are included.
 *
 * @throws AppError `invalid_input` naming `host`
 */
export function parseBlockedHost(
  input: string,
  wantsSubdomains = false,
): Pick<BlockedHost, 'host' | 'subdomains'> {
  const [, prefix = '', rest = ''] = /^\s*(\*?\.)?(.*?)\s*$/s.exec(input) ?? []
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(rest) ? parseWebUrl(rest) : parseBareHost(rest)
  const host = url && toCanonicalHost(url)
  if (!host || host.length > MAX_HOST_LENGTH) throw invalid('host', 'host')
  const subdomains = wantsSubdomains || prefix !== ''
  if (subdomains && isIpAddress(host)) throw invalid('host', 'ip_subdomains')
  return { host, subdomains }
}

function parseBareHost(text: string): URL | undefined {
  return /[/?#@\\\s]/.test(text) ? undefined : parseWebUrl(`http://${text}/`)
}

/** Returns whether a canonical host is an IP address. */
export function isIpAddress(host: string): boolean {
  return host.startsWith('[') || ipaddr.IPv4.isValidFourPartDecimal(host)
}

export type HostMatcher = ReturnType<typeof createHostMatcher>

/**
 * Creates a matcher of blocked hosts. Its lookup time does not depend on the length of the list.
 */
export function createHostMatcher(blocked: readonly Pick<BlockedHost, 'host' | 'subdomains'>[]) {
  const exact = new Set(blocked.map(({ host }) => host))
  const parentHosts = new Set(blocked.flatMap(({ host, subdomains }) => (subdomains ? host : [])))

  function blocks(url: Pick<URL, 'hostname'>): boolean {
    if (exact.size === 0) return false
    const [host = '', ...others] = listCanonicalHosts(url)
    if (exact.has(host) || others.some((other) => exact.has(other))) return true
    for (
      let dot = host.indexOf('.');
      parentHosts.size > 0 && dot >= 0;
      dot = host.indexOf('.', dot + 1)
    ) {
      if (parentHosts.has(host.slice(dot + 1))) return true
    }
    return false
  }

  return {
    isEmpty: exact.size === 0,
    /** Returns whether the host of a URL is blocked. */
    blocks,
    /** Returns whether a stored destination is blocked. Invalid URLs are not. */
    blocksDestination(destination: string): boolean {
      const url = exact.size > 0 ? URL.parse(destination) : null
      return url !== null && blocks(url)
    },
  }
}
