import { createHash, randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { equalsInConstantTime } from '../../constant-time.ts'
import { AppError } from '../../errors.ts'

const COOKIE = 'brevis_form'
/**
 * The cookie's name with https. Browsers accept this prefix only from this exact host over https, so
 * other hosts of the domain cannot set the cookie (RFC 6265bis, section 4.1.3.2).
 */
const HOST_COOKIE = `__Host-${COOKIE}`
const SECRET_FORMAT = /^[A-Za-z0-9_-]{32}$/

/**
 * Sets a random cookie, or renews the existing one, and returns its hash as the token for a form.
 * Another site can make a browser
 * post a form, but it cannot read or set the cookie, so it cannot know the token
 * (https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html).
 */
export function issueFormToken(reply: FastifyReply): string {
  const { request } = reply
  const storedSecret = readSecret(request)
  const secret = storedSecret ?? randomBytes(24).toString('base64url')
  reply.setCookie(getCookieName(request), secret, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(request),
  })
  return maskToken(deriveFormToken(secret))
}

/**
 * Rejects forms that were not sent from one of the service's pages. `token` is the value of the
 * form's hidden field.
 *
 * @throws AppError `form_expired`
 */
export function checkFormToken(request: FastifyRequest, token: unknown): void {
  const site = request.headers['sec-fetch-site']
  const secret = readSecret(request)
  const isValid =
    secret !== undefined && equalsInConstantTime(deriveFormToken(secret), unmaskToken(token))
  if (!isValid || site === 'cross-site') throw new AppError('form_expired')
}

/** Returns the secret in the visitor's cookie, if its format is valid. */
function readSecret(request: FastifyRequest): string | undefined {
  const cookies = request.server.parseCookie(request.headers.cookie ?? '')
  const secret = cookies[getCookieName(request)]
  return secret !== undefined && SECRET_FORMAT.test(secret) ? secret : undefined
}

function getCookieName(request: FastifyRequest): string {
  return isSecure(request) ? HOST_COOKIE : COOKIE
}

/** Returns whether the visitor uses https, possibly through a trusted proxy. */
function isSecure({ protocol }: FastifyRequest): boolean {
  return protocol === 'https'
}

/** Returns the form token of a secret. It cannot be derived without the secret. */
export function deriveFormToken(secret: string): string {
  return createHash('sha256').update(`form ${secret}`).digest('base64url')
}

const TOKEN_BYTES = 32

/**
 * Masks a token with random bytes, so that no two pages contain the same text of it. Otherwise the size
 * of compressed pages that also contain guesses would reveal it (docs/decisions/0121-compression.md).
 */
export function maskToken(token: string): string {
  const mask = randomBytes(TOKEN_BYTES)
  return Buffer.concat([mask, xor(mask, Buffer.from(token, 'base64url'))]).toString('base64url')
}

/** Returns the token in a masked one, or an empty string if the value is none. */
export function unmaskToken(value: unknown): string {
  const bytes = Buffer.from(typeof value === 'string' ? value : '', 'base64url')
  if (bytes.length !== 2 * TOKEN_BYTES) return ''
  return xor(bytes.subarray(0, TOKEN_BYTES), bytes.subarray(TOKEN_BYTES)).toString('base64url')
}

function xor(mask: Buffer, bytes: Buffer): Buffer {
  return Buffer.from(mask.map((byte, index) => byte ^ (bytes[index] ?? 0)))
}
