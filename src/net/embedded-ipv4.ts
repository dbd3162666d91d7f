import ipaddr from 'ipaddr.js'

/** IPv6 ranges that embed an IPv4 address, with the byte at which it starts. */
const WRAPPERS: readonly { range: string; offset: number; isInverted?: boolean }[] = [
  // IPv4-mapped (RFC 4291, 2.5.5.2), IPv4-translated (RFC 2765) and IPv4-compatible (RFC 4291,
  // 2.5.5.1).
  { range: '::ffff:0:0/96', offset: 12 },
  { range: '::ffff:0:0:0/96', offset: 12 },
  { range: '::/96', offset: 12 },
  // NAT64: the well-known prefix and the local-use prefix (RFC 6052, RFC 8215).
  { range: '64:ff9b::/96', offset: 12 },
  { range: '64:ff9b:1::/48', offset: 12 },
  // 6to4 (RFC 3056).
  { range: '2002::/16', offset: 2 },
  // Teredo (RFC 4380): the client, with inverted bits, and its server.
  { range: '2001::/32', offset: 12, isInverted: true },
  { range: '2001::/32', offset: 4 },
]

const networks = WRAPPERS.map((wrapper) => ({
  ...wrapper,
  cidr: ipaddr.IPv6.parseCIDR(wrapper.range),
}))

/**
 * Returns the IPv4 addresses embedded in an IPv6 address in dotted form, the primary one first. The
 * list is empty for ordinary IPv6 addresses and for IPv4 addresses.
 */
export function listEmbeddedIPv4(address: ipaddr.IPv4 | ipaddr.IPv6): string[] {
  if (!(address instanceof ipaddr.IPv6)) return []
  // `::` and `::1` are in the IPv4-compatible range, but they have their own meaning.
  if (['unspecified', 'loopback'].includes(address.range())) return []
  const bytes = address.toByteArray()
  return networks
    .filter(({ cidr }) => address.match(cidr))
    .map(({ offset, isInverted }) => {
      return bytes
        .slice(offset, offset + 4)
        .map((byte) => (isInverted ? 255 - byte : byte))
        .join('.')
    })
}
