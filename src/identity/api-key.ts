import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { customAlphabet } from 'nanoid'

const PREFIX = 'brv_'
const SECRET_LENGTH = 36
const CHECKSUM_LENGTH = 6
/** The number of random characters that lists of keys show. */
const SHOWN_LENGTH = 6
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const randomSecret = customAlphabet(ALPHABET, SECRET_LENGTH)

/**
 * Generates an API key: a prefix for secret scanners, 36 random characters (214 bits) and a
 * checksum. The checksum exposes a mistyped key without a query.
 */
export function generateKey(): string {
  return appendChecksum(PREFIX + randomSecret())
}

/** Returns a key: `body`, which is its prefix and random characters, and the checksum. */
export function appendChecksum(body: string): string {
  return body + computeChecksum(body)
}

/** Returns whether `key` has the format and checksum of an API key. */
export function isWellFormedKey(key: string): boolean {
  return (
    key.length === PREFIX.length + SECRET_LENGTH + CHECKSUM_LENGTH &&
    key.startsWith(PREFIX) &&
    key.slice(-CHECKSUM_LENGTH) === computeChecksum(key.slice(0, -CHECKSUM_LENGTH))
  )
}

/**
 * Returns the SHA-256 of a key, which is the only form stored. A key has too much entropy to be
 * guessed from its hash.
 */
export function hashKey(key: string): Buffer {
  // Converting from hexadecimal is three times as fast as requesting a buffer.
  return Buffer.from(hash('sha256', key), 'hex')
}

/** Returns the first characters of a key, which help its owner recognize it. */
export function getKeyPrefix(key: string): string {
  return key.slice(0, PREFIX.length + SHOWN_LENGTH)
}

function computeChecksum(body: string): string {
  let remainder = crc32(body)
  let checksum = ''
  while (checksum.length < CHECKSUM_LENGTH) {
    checksum = ALPHABET[remainder % ALPHABET.length] + checksum
    remainder = Math.floor(remainder / ALPHABET.length)
  }
  return checksum
}
