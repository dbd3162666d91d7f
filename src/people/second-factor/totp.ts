import { createHmac, randomBytes } from 'node:crypto'
import { equalsInConstantTime } from '../../constant-time.ts'
import { encodeBase32 } from './base32.ts'

const STEP_MS = 30_000
const DIGITS = 6
/**
 * The number of time steps accepted before and after the current one, because clocks differ and
 * some people type slowly.
 */
const WINDOW = 1

/** Returns a new secret of 160 random bits, as RFC 4226 recommends. */
export function generateSecret(): Buffer {
  return randomBytes(20)
}

/** Returns the code of a time step (RFC 6238 with SHA-1, which all authenticator apps support). */
export function computeCode(secret: Buffer, step: number): string {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = mac.readUInt8(mac.length - 1) & 0xf
  const number = mac.readUInt32BE(offset) & 0x7fffffff
  return String(number % 10 ** DIGITS).padStart(DIGITS, '0')
}

/** Returns the time step of a moment. */
export function getStep(now: Date): number {
  return Math.floor(now.getTime() / STEP_MS)
}

/**
 * Returns the latest accepted time step with this code, or undefined if the code is wrong at `now`.
 */
export function findStep(secret: Buffer, code: string, now: Date): number | undefined {
  const current = getStep(now)
  const steps = Array.from({ length: 2 * WINDOW + 1 }, (_, index) => current + WINDOW - index)
  return steps.find((step) => equalsInConstantTime(computeCode(secret, step), code))
}

/** Returns the URL in the QR code for authenticator apps. */
export function createOtpauthUrl(
  secret: Buffer,
  { issuer, email }: { issuer: string; email: string },
) {
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(email)}`
  const query = `secret=${encodeBase32(secret)}&issuer=${encodeURIComponent(issuer)}`
  return `otpauth://totp/${label}?${query}`
}
