import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { memo } from '../concurrency/memo.ts'

// An IPv6 address has up to 45 characters (INET6_ADDRSTRLEN), to which a zone may be appended.
const maxLength = 64

/**
 * Returns the canonical form of an IP address, without a zone: dotted decimal for IPv4 and
 * IPv4-mapped addresses (`::ffff:192.0.2.1`), RFC 5952 for IPv6. Returns an empty string for
 * anything else (names, ports, octal or shortened IPv4).
 */
export function normalizeAddress(ip: string): string {
  // Most addresses are already canonical, and parsing would slow down the importer.
  if (parseIPv4(ip) >= 0) return ip
  return ip.length > maxLength ? '' : canonicalizeCached(ip)
}

/**
 * Returns the 32 bits of an IPv4 address in dotted decimal without leading zeros (RFC 6943, section
 * 3.1.1), or -1 for anything else. Must be fast, because the importer calls it twice per click.
 */
export function parseIPv4(text: string): number {
  let bits = 0
  let parts = 0
  let part = -1
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === DOT) {
      if (part === -1 || parts === 3) return -1
      bits = bits * 256 + part
      parts += 1
      part = -1
    } else {
      const digit = code - ZERO
      if (digit < 0 || digit > 9 || part === 0) return -1
      part = part === -1 ? digit : part * 10 + digit
      if (part > 255) return -1
    }
  }
  return parts === 3 && part !== -1 ? bits * 256 + part : -1
}

const DOT = 46
const ZERO = 48

const canonicalizeCached = memo(canonicalizeIPv6, 5_000)

const blockCached = memo(findAddressBlock, 5_000)

/**
 * Returns the block of addresses that count as one network: for rate limits, and as one visitor of
 * a browser. This is the entire IPv4 address, or the /64 of an IPv6 address, because a host commonly
 * has an entire /64 (RFC 6177 and RFC 7421) and changes its address in it (RFC 8981). Returns an
 * empty string for anything else.
 */
export function toAddressBlock(ip: string): string {
  if (parseIPv4(ip) >= 0) return ip
  return ip.length > maxLength ? '' : blockCached(ip)
}

function findAddressBlock(ip: string): string {
  const address = canonicalizeIPv6(ip)
  if (!address.includes(':')) return address
  const parts = ipaddr.IPv6.parse(address).parts.map((part, index) => (index < 4 ? part : 0))
  return `${new ipaddr.IPv6(parts).toRFC5952String()}/64`
}

function canonicalizeIPv6(ip: string): string {
  const zone = ip.indexOf('%')
  const plain = zone === -1 ? ip : ip.slice(0, zone)
  if (!isIPv6(plain)) return ''
  const address = ipaddr.IPv6.parse(plain)
  return address.isIPv4MappedAddress()
    ? address.toIPv4Address().toString()
    : address.toRFC5952String()
}
