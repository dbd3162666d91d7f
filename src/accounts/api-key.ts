import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { customAlphabet } from 'nanoid'

const PREFIX = 'brv_'
const SECRET_LENGTH = 36
const TAIL_LENGTH = 6
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const randomSecret = customAlphabet(ALPHABET, SECRET_LENGTH)

/**
 * A new API key: a prefix that secret scanners can look for, 36 random characters (214 bits) and
 * the checksum of what stands before it, so that a mistyped key is known without a database.
 */
export function generateKey(): string {
  return completeKey(PREFIX + randomSecret())
}

/** A key's beginning, all but its checksum, with the checksum. */
export function completeKey(body: string): string {
  return body + checksum(body)
}

/** Whether `key` can be one of ours at all. */
export function isWellFormedKey(key: string): boolean {
  return (
    key.length === PREFIX.length + SECRET_LENGTH + TAIL_LENGTH &&
    key.startsWith(PREFIX) &&
    key.slice(-TAIL_LENGTH) === checksum(key.slice(0, -TAIL_LENGTH))
  )
}

/** The SHA-256 of a key. It alone is stored: a key has too much entropy to be guessed from it. */
export function hashKey(key: string): Buffer {
  // Through hexadecimal, which takes a third of the time of asking for bytes.
  return Buffer.from(hash('sha256', key), 'hex')
}

/** The beginning of a key, enough for its owner to tell it from others. */
export function keyPrefix(key: string): string {
  return key.slice(0, PREFIX.length + 6)
}

function checksum(body: string): string {
  let rest = crc32(body)
  let tail = ''
  while (tail.length < TAIL_LENGTH) {
    tail = ALPHABET[rest % ALPHABET.length] + tail
    rest = Math.floor(rest / ALPHABET.length)
  }
  return tail
}
