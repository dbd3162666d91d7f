import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'

const COOKIE = 'brevis_form'
/**
 * Under https a name that browsers take from this very host over https alone, so that neither another
 * host of the domain nor somebody in between can set it (RFC 6265bis, section 4.1.3.2).
 */
const HOST_COOKIE = `__Host-${COOKIE}`
const VALID = /^[A-Za-z0-9_-]{32}$/

/**
 * The token of a form that is being sent: the hash of a cookie that goes along. Another site can make
 * a visitor's browser post a form, but cannot read or set that cookie, so it cannot know the token
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
 * Refuses a form that does not come from a page of ours.
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

/** What the visitor's cookie holds, if it may be ours. */
function readSecret(request: FastifyRequest): string | undefined {
  const cookies = request.server.parseCookie(request.headers.cookie ?? '')
  const secret = cookies[cookieName(request)]
  return secret !== undefined && VALID.test(secret) ? secret : undefined
}

function cookieName(request: FastifyRequest): string {
  return isSecure(request) ? HOST_COOKIE : COOKIE
}

/** Whether the visitor's side of the connection is https, which a trusted proxy says. */
function isSecure({ protocol }: FastifyRequest): boolean {
  return protocol === 'https'
}

function tokenOf(secret: string): string {
  return createHash('sha256').update(`form ${secret}`).digest('base64url')
}
