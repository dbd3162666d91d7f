import { hash } from 'node:crypto'
import { addressBlock, normalizeAddress } from './address.ts'
import { cutUserAgent } from './user-agent.ts'

/**
 * Makes the function that names a visitor without telling who it is: the first 64 bits of SHA-256
 * over the key, the network address and the User-Agent, as the signed number that a PostgreSQL bigint
 * holds. The key must stay the same for as long as visitors are to be recognised, and be kept secret:
 * with it, all of IPv4 could be tried. Throws on an empty key.
 *
 * The importer needs this once for each click. One call of `hash` takes a quarter of the time of an
 * HMAC, whose second round guards against lengthening a message: nothing can be appended to 64 bits.
 */
export function createVisitorHash(key: Buffer): (address: string, userAgent: string) => bigint {
  requireKey(key)
  const prefix = `${key.toString('hex')}visitor\0`
  return (address, userAgent) => {
    const message = `${prefix}${normalizeAddress(address)}\0${cutUserAgent(userAgent)}`
    return BigInt.asIntN(64, BigInt(`0x${hash('sha256', message).slice(0, 16)}`))
  }
}

/**
 * Makes the function that names a caller for rate limiting: the first 96 bits of SHA-256 over the key
 * and the address's block, as 16 characters of base64url. Throws on an empty key.
 */
export function createAddressHash(key: Buffer): (address: string) => string {
  requireKey(key)
  const prefix = `${key.toString('hex')}address\0`
  return (address) => hash('sha256', prefix + addressBlock(address), 'base64url').slice(0, 16)
}

function requireKey(key: Buffer): void {
  if (key.length === 0) throw new Error('the key of the visitor hash is empty')
}
