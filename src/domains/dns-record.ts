import { isIP } from 'node:net'

/** What the DNS of a branded domain must hold to lead to this service. */
export type DnsRecord = { type: 'CNAME' | 'A' | 'AAAA'; value: string }

/** The record that leads to a service at `baseUrl`: an address cannot stand in a CNAME record. */
export function dnsRecord({ hostname }: URL): DnsRecord {
  const value = hostname.replace(/^\[|\]$/g, '')
  const type = ({ 4: 'A', 6: 'AAAA' } as const)[isIP(value)] ?? 'CNAME'
  return { type, value }
}
