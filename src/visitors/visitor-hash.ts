import { createHmac } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { addressBlock, normalizeAddress } from './address.ts'
import { cutUserAgent } from './user-agent.ts'

/**
 * Makes the function that names a visitor without telling who it is: the first 64 bits of the
 * HMAC-SHA-256 of network address and User-Agent, as the signed number that a PostgreSQL bigint holds.
 * The key must stay the same for as long as visitors are to be recognised, and be kept secret: with
 * it, all of IPv4 could be tried. Repeated visitors cost one look-up. Throws on an empty key.
 */
export function createVisitorHash(key: Buffer): (address: string, userAgent: string) => bigint {
  requireKey(key)
  const memo = new LRUCache<string, bigint>({ max: 10_000 })
  return (address, userAgent) => {
    const message = `visitor\0${normalizeAddress(address)}\0${cutUserAgent(userAgent)}`
    const known = memo.get(message)
    if (known !== undefined) return known
    const hash = createHmac('sha256', key).update(message).digest().readBigInt64BE()
    memo.set(message, hash)
    return hash
  }
}

/**
 * Makes the function that names a caller for rate limiting: 96 bits of the HMAC-SHA-256 of the
 * address's block as 16 characters of base64url. Throws on an empty key.
 */
export function createAddressHash(key: Buffer): (address: string) => string {
  requireKey(key)
  return (address) =>
    createHmac('sha256', key)
      .update(`address\0${addressBlock(address)}`)
      .digest()
      .toString('base64url', 0, 12)
}

function requireKey(key: Buffer): void {
  if (key.length === 0) throw new Error('the key of the visitor hash is empty')
}
