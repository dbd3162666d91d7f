import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { MAX_SESSION_MS, SECOND_STEP_MS } from '../../identity/session.ts'

type Settings = Pick<Config, 'baseUrl'>

const PENDING_COOKIE = 'brevis_sign_in'
const NEW_KEY_COOKIE = 'brevis_new_key'
/** Only the next page needs the key, but someone may have to sign in there. */
const NEW_KEY_SECONDS = 300
const SIGN_IN_PATH = '/console/sign-in'

/** Returns the session token of a request, if any. */
export function readSessionToken(settings: Settings, request: FastifyRequest): string | undefined {
  return request.server.parseCookie(request.headers.cookie ?? '')[getCookieName(settings)]
}

/** Sets the session cookie. Its path is `/console`, so browsers never send it to short links. */
export function setSessionCookie(settings: Settings, reply: FastifyReply, token: string): void {
  reply.setCookie(getCookieName(settings), token, {
    ...createCookieOptions(settings),
    maxAge: MAX_SESSION_MS / 1000,
  })
}

/** Clears the session cookie. */
export function clearSessionCookie(settings: Settings, reply: FastifyReply): void {
  reply.clearCookie(getCookieName(settings), createCookieOptions(settings))
}

/** Returns the token of a sign-in that is waiting for its second factor, or undefined. */
export function readPendingToken(settings: Settings, request: FastifyRequest): string | undefined {
  return request.server.parseCookie(request.headers.cookie ?? '')[
    getCookieName(settings, PENDING_COOKIE)
  ]
}

/** Sets the cookie of a sign-in that is waiting for its second factor. */
export function setPendingCookie(settings: Settings, reply: FastifyReply, token: string): void {
  reply.setCookie(getCookieName(settings, PENDING_COOKIE), token, {
    ...createCookieOptions(settings, SIGN_IN_PATH),
    maxAge: SECOND_STEP_MS / 1000,
  })
}

/** Clears the cookie of a sign-in that was waiting for its second factor. */
export function clearPendingCookie(settings: Settings, reply: FastifyReply): void {
  reply.clearCookie(
    getCookieName(settings, PENDING_COOKIE),
    createCookieOptions(settings, SIGN_IN_PATH),
  )
}

/** Stores the API key of a new user for the overview, which shows it once. */
export function setNewKeyCookie(settings: Settings, reply: FastifyReply, key: string): void {
  reply.setCookie(getCookieName(settings, NEW_KEY_COOKIE), key, {
    ...createCookieOptions(settings),
    maxAge: NEW_KEY_SECONDS,
  })
}

/** Returns the API key of a new user and clears it. */
export function takeNewKey(settings: Settings, reply: FastifyReply): string | undefined {
  const name = getCookieName(settings, NEW_KEY_COOKIE)
  const key = reply.request.server.parseCookie(reply.request.headers.cookie ?? '')[name]
  if (key === undefined) return undefined
  reply.clearCookie(name, createCookieOptions(settings))
  return /^brv_\w{1,64}$/.test(key) ? key : undefined
}

function createCookieOptions(settings: Settings, path = '/console') {
  return {
    path,
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(settings),
  } as const
}

/**
 * With https, the name has a prefix that browsers accept only over https (RFC 6265bis, section
 * 4.1.3.1). `__Host-` would require the path `/`, and browsers would send the cookie to short links.
 */
function getCookieName(settings: Settings, name = 'brevis_session'): string {
  return isSecure(settings) ? `__Secure-${name}` : name
}

function isSecure({ baseUrl }: Settings): boolean {
  return baseUrl.startsWith('https:')
}
