import ipaddr from 'ipaddr.js'

/** IPv6 ranges whose addresses lead to an IPv4 address, and at which byte that begins. */
const WRAPPERS: readonly { range: string; at: number; inverted?: boolean }[] = [
  // IPv4-mapped (RFC 4291, 2.5.5.2), IPv4-translated (RFC 2765) and IPv4-compatible (RFC 4291, 2.5.5.1).
  { range: '::ffff:0:0/96', at: 12 },
  { range: '::ffff:0:0:0/96', at: 12 },
  { range: '::/96', at: 12 },
  // NAT64, the well-known prefix and the one for local use (RFC 6052, RFC 8215).
  { range: '64:ff9b::/96', at: 12 },
  { range: '64:ff9b:1::/48', at: 12 },
  // 6to4 (RFC 3056).
  { range: '2002::/16', at: 2 },
  // Teredo (RFC 4380): the client, whose bits are inverted, and the server that it was set up with.
  { range: '2001::/32', at: 12, inverted: true },
  { range: '2001::/32', at: 4 },
]

const networks = WRAPPERS.map((wrapper) => ({
  ...wrapper,
  cidr: ipaddr.IPv6.parseCIDR(wrapper.range),
}))

/**
 * Returns the IPv4 addresses that an IPv6 address wraps, in dotted form, the one that it leads to first.
 * Empty for an ordinary IPv6 address and for an IPv4 address.
 */
export function embeddedIPv4(address: ipaddr.IPv4 | ipaddr.IPv6): string[] {
  if (!(address instanceof ipaddr.IPv6)) return []
  // `::` and `::1` are addresses of their own, although the IPv4-compatible range has them.
  if (['unspecified', 'loopback'].includes(address.range())) return []
  const bytes = address.toByteArray()
  return networks
    .filter(({ cidr }) => address.match(cidr))
    .map(({ at, inverted }) => {
      return bytes
        .slice(at, at + 4)
        .map((byte) => (inverted ? 255 - byte : byte))
        .join('.')
    })
}
