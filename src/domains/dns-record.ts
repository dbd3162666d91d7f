import { isIP } from 'node:net'

/** The DNS record that points a branded domain to this service. */
export type DnsRecord = { type: 'CNAME' | 'A' | 'AAAA'; value: string }

/** Returns the record for a service at `baseUrl`. A CNAME record cannot contain an IP address. */
export function dnsRecord({ hostname }: URL): DnsRecord {
  const value = hostname.replace(/^\[|\]$/g, '')
  const type = ({ 4: 'A', 6: 'AAAA' } as const)[isIP(value)] ?? 'CNAME'
  return { type, value }
}
