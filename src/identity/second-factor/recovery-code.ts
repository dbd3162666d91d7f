import { createHash, randomBytes } from 'node:crypto'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

const RECOVERY_CODES = 10

/** The number of random bytes in a code. They are enough for a fast hash to be secure. */
const BYTES = 10
const CODE = /^[a-z2-7]{16}$/

/** Returns new recovery codes, such as `abcd-efgh-ijkl-mnop`. */
export function generateRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const text = encodeBase32(randomBytes(BYTES)).toLowerCase()
    return (text.match(/.{4}/g) ?? []).join('-')
  })
}

/**
 * Returns the hash of a recovery code as a user enters it, or undefined if it is not well-formed.
 */
export function hashRecoveryCode(enteredCode: string): Buffer | undefined {
  const code = enteredCode.toLowerCase().replaceAll(/[\s-]/g, '')
  return CODE.test(code) ? createHash('sha256').update(code).digest() : undefined
}

/** Encodes bytes in base32 without padding (RFC 4648, section 6). */
export function encodeBase32(bytes: Buffer): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('')
  const groups = bits.match(/.{1,5}/g) ?? []
  return groups.map((group) => ALPHABET[Number.parseInt(group.padEnd(5, '0'), 2)]).join('')
}
