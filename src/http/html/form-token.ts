import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'

const COOKIE = 'brevis_form'
/**
 * With https, a name that browsers accept only from this exact host over https, so that no other
 * host of the domain and no man in the middle can set it (RFC 6265bis, section 4.1.3.2).
 */
const HOST_COOKIE = `__Host-${COOKIE}`
const VALID = /^[A-Za-z0-9_-]{32}$/

/**
 * Returns a token for a form: the hash of a cookie that it also sets. Another site can make a
 * browser post a form but cannot read or set the cookie, so it cannot know the token
 * (https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html).
 */
export function issueFormToken(reply: FastifyReply): string {
  const { request } = reply
  const known = readSecret(request)
  const secret = known ?? randomBytes(24).toString('base64url')
  reply.setCookie(cookieName(request), secret, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(request),
  })
  return tokenOf(secret)
}

/**
 * Rejects forms that do not come from our pages.
 *
 * @throws AppError `form_expired`
 */
export function checkFormToken(request: FastifyRequest, token: unknown): void {
  const site = request.headers['sec-fetch-site']
  const secret = readSecret(request)
  const expected = Buffer.from(secret ? tokenOf(secret) : '')
  const given = Buffer.from(typeof token === 'string' ? token : '')
  const matches =
    expected.length > 0 && expected.length === given.length && timingSafeEqual(expected, given)
  if (!matches || site === 'cross-site') {
    throw new AppError('form_expired')
  }
}

/** Returns the secret in the visitor's cookie, if its format is valid. */
function readSecret(request: FastifyRequest): string | undefined {
  const cookies = request.server.parseCookie(request.headers.cookie ?? '')
  const secret = cookies[cookieName(request)]
  return secret !== undefined && VALID.test(secret) ? secret : undefined
}

function cookieName(request: FastifyRequest): string {
  return isSecure(request) ? HOST_COOKIE : COOKIE
}

/** Returns whether the visitor uses https, possibly through a trusted proxy. */
function isSecure({ protocol }: FastifyRequest): boolean {
  return protocol === 'https'
}

function tokenOf(secret: string): string {
  return createHash('sha256').update(`form ${secret}`).digest('base64url')
}
