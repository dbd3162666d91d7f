import { hash } from 'node:crypto'
import { memo } from '../concurrency/memo.ts'
import { addressBlock, normalizeAddress } from './address.ts'
import { createSipHash } from './sip-hash.ts'
import { cutUserAgent } from './user-agent.ts'

const DIGEST = 8
const MOST_ADDRESSES = 1000
const LONGEST_ADDRESS = 45 // INET6_ADDRSTRLEN, without its end

/**
 * Makes the function that names a visitor without telling who it is: 64 bits over a key, the network
 * address and the User-Agent, as the signed number that a PostgreSQL bigint holds. The key must stay
 * the same for as long as visitors are to be recognised, and be kept secret: with it, all of IPv4
 * could be tried. Throws on an empty key.
 *
 * The importer needs this once for each click. User-Agents are few and long, so each is digested once;
 * SipHash of that digest and the address takes a fifth of the time of SHA-256 over all.
 */
export function createVisitorHash(key: Buffer): (address: string, userAgent: string) => bigint {
  requireKey(key)
  const derive = (text: string) => hash('sha256', key.toString('hex') + text, 'buffer')
  const sipHash = createSipHash(derive('visitor\0').subarray(0, 16))
  const digestOf = memo((userAgent) =>
    derive(`agent\0${cutUserAgent(userAgent)}`).subarray(0, DIGEST),
  )
  const message = new Uint8Array(DIGEST + LONGEST_ADDRESS)

  return (address, userAgent) => {
    message.set(digestOf(userAgent))
    const text = normalizeAddress(address)
    for (let at = 0; at < text.length; at += 1) message[DIGEST + at] = text.charCodeAt(at)
    return sipHash(message, DIGEST + text.length)
  }
}

/**
 * Makes the function that names a caller for rate limiting: the first 96 bits of SHA-256 over the key
 * and the address's block, as 16 characters of base64url. Throws on an empty key.
 */
export function createAddressHash(key: Buffer): (address: string) => string {
  requireKey(key)
  const prefix = `${key.toString('hex')}address\0`
  return memo(
    (address) => hash('sha256', prefix + addressBlock(address), 'base64url').slice(0, 16),
    MOST_ADDRESSES,
  )
}

function requireKey(key: Buffer): void {
  if (key.length === 0) throw new Error('the key of the visitor hash is empty')
}
