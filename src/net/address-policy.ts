import { isIP } from 'node:net'
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
 * IPv6 addresses allocated for public use. All others are special or unassigned (RFC 4291, 2.4).
 */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Internal services of cloud platforms at public addresses. Services at addresses in special ranges
 * (169.254.169.254, 100.100.100.200, fd00:ec2::254) are rejected anyway.
 */
const cloudServices = [
  // Azure's wire server, which provides settings and keys to virtual machines.
  '168.63.129.16/32',
  // Google's APIs for private networks (restricted and private.googleapis.com).
  '199.36.153.4/30',
  '199.36.153.8/30',
  '2600:2d00:2:1000::/56',
  '2600:2d00:2:2000::/56',
  // IBM Cloud's service networks.
  '161.26.0.0/16',
  '166.8.0.0/14',
].map(parseCidr)

/**
 * Creates a function that returns whether connections to an IP address (without brackets) are
 * permitted. Permits public unicast addresses that do not belong to a cloud platform, and addresses
 * in the `allow` CIDRs. Throws on a malformed CIDR.
 *
 * An IPv4-mapped IPv6 address counts as its IPv4 address. Other IPv6 addresses that embed an IPv4
 * address (NAT64, 6to4, Teredo, IPv4-compatible) are never public. If `allow` contains them, the
 * embedded IPv4 address must be permitted as well.
 */
export function createAddressPolicy(allow: readonly string[]): (address: string) => boolean {
  const allowed = allow.map(parseCidr)

  function isPermitted(address: Address): boolean {
    if (allowed.some((range) => contains(range, address))) return true
    if (address.range() !== 'unicast') return false
    if (cloudServices.some((range) => contains(range, address))) return false
    return address.kind() === 'ipv4' || address.match(globalUnicast)
  }

  return (text) => {
    // ipaddr.js also parses forms such as `127.1`, but the socket layer would not connect to them.
    if (isIP(text) === 0) return false
    const address = ipaddr.process(text)
    return [address, ...listEmbeddedIPv4(address).map(ipaddr.parse)].every(isPermitted)
  }
}

type Address = ReturnType<typeof ipaddr.parse>
type Cidr = ReturnType<typeof ipaddr.parseCIDR>

function parseCidr(text: string): Cidr {
  if (!ipaddr.isValidCIDR(text)) throw new Error(`"${text}" is not a CIDR`)
  return ipaddr.parseCIDR(text)
}

function contains(range: Cidr, address: Address): boolean {
  return range[0].kind() === address.kind() && address.match(range)
}

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
