import { isIP } from 'node:net'

/**
 * Normalizes a host for storage and comparison: lowercase, IDN as Punycode, without a default port
 * or trailing dot. Returns an empty string for an invalid host.
 */
export function normalizeHost(header: string): string {
  if (/[/?#@\\\s]/.test(header)) return ''
  const url = URL.canParse(`http://${header}`) ? new URL(`http://${header}`) : undefined
  if (!url) return ''
  const port = url.port === '443' ? '' : url.port
  const name = url.hostname.replace(/\.$/, '')
  return port ? `${name}:${port}` : name
}

/** Returns whether the name of a normalized host is an IP address. */
export function isIpAddress(name: string): boolean {
  return name.startsWith('[') || isIP(name) !== 0
}

/** Returns a normalized host without its port. */
export function withoutPort(host: string): string {
  return host.replace(/:\d+$/, '')
}

/** Returns the normalized host of a domain that may include a scheme, or '' if it is invalid. */
export function parseHost(domain: string): string {
  return normalizeHost(domain.replace(/^https?:\/\//i, '').replace(/\/$/, ''))
}
