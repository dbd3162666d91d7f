import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { embeddedIPv4 } from './embedded-ipv4.ts'

/** IPv6 space given out for public use; the rest is special or not assigned (RFC 4291, 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Addresses out of public space that lead to what runs a cloud, and only from inside of it. Those
 * out of special ranges (169.254.169.254, 100.100.100.200, fd00:ec2::254) need no mention.
 */
const platforms = [
  // Azure's wire server: settings of the machine, and keys.
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
 * Returns the test of whether an address (as the resolver or a URL spells it, without brackets) may
 * be dialed: public unicast and not a cloud's own, or inside one of the `allow` CIDRs. Throws on a
 * malformed CIDR.
 *
 * An IPv4-mapped IPv6 address counts as the IPv4 address it reaches. The other ways to wrap an
 * IPv4 address (NAT64, 6to4, Teredo, IPv4-compatible) are never public here; where `allow` has them,
 * the IPv4 address inside must be permitted as well.
 */
export function createAddressPolicy(allow: readonly string[]): (address: string) => boolean {
  const allowed = allow.map(parseCidr)

  function isPermitted(address: Address): boolean {
    if (allowed.some((range) => contains(range, address))) return true
    if (address.range() !== 'unicast') return false
    if (platforms.some((range) => contains(range, address))) return false
    return address.kind() === 'ipv4' || address.match(globalUnicast)
  }

  return (text) => {
    // ipaddr.js also reads `127.1` and the like: only what the socket layer would dial is judged.
    if (isIP(text) === 0) return false
    const address = ipaddr.process(text)
    return [address, ...embeddedIPv4(address).map(ipaddr.parse)].every(isPermitted)
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
