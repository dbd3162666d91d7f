import { createHash, randomBytes } from 'node:crypto'
import { encodeBase32 } from './base32.ts'

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
