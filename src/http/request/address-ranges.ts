import ipaddr from 'ipaddr.js'
import { memo } from '../../concurrency/memo.ts'

/**
 * Creates a function that returns whether an IP address is in one of these CIDR ranges. An
 * IPv4-mapped IPv6 address counts as its IPv4 address. Invalid addresses are in no range. Results
 * are cached, because every visit checks for a trusted proxy and parsing an address is slow.
 */
export function createRangeMatcher(ranges: readonly string[]): (address: string) => boolean {
  const networks = ranges.map(parseRange)

  function contains(address: string): boolean {
    if (!ipaddr.isValid(address)) return false
    const peer = ipaddr.process(address)
    return networks.some(
      ([network, bits]) => peer.kind() === network.kind() && peer.match(network, bits),
    )
  }

  return memo(contains, 1000)
}

function parseRange(range: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const [network, bits] = ipaddr.parseCIDR(range)
  return network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= 96
    ? [network.toIPv4Address(), bits - 96]
    : [network, bits]
}
