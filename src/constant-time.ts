import { timingSafeEqual } from 'node:crypto'

/** Compares a secret with a given value, in a time that does not depend on the matching part. */
export function equalsInConstantTime(secret: string, given: unknown): boolean {
  const secretBytes = Buffer.from(secret)
  const givenBytes = Buffer.from(typeof given === 'string' ? given : '')
  return secretBytes.length === givenBytes.length && timingSafeEqual(secretBytes, givenBytes)
}
