import { isIP } from 'node:net'

/** The DNS record that points a branded domain to this service. */
export type DnsRecord = { type: 'CNAME' | 'A' | 'AAAA'; value: string }

/**
 * Returns the record for a service with this base URL. A CNAME record cannot contain an IP address.
 */
export function createDnsRecord({ hostname }: URL): DnsRecord {
  // A URL has brackets around an IPv6 address.
  const value = hostname.replace(/^\[|\]$/g, '')
  const type = ({ 4: 'A', 6: 'AAAA' } as const)[isIP(value)] ?? 'CNAME'
  return { type, value }
}
