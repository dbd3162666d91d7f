import type { FastifyReply, FastifyRequest } from 'fastify'
import { LONGEST } from '../../accounts/session.ts'
import type { Config } from '../../config.ts'

type Settings = Pick<Config, 'baseUrl'>

/** Returns the session token of a request, if any. */
export function readSessionToken(settings: Settings, request: FastifyRequest): string | undefined {
  return request.server.parseCookie(request.headers.cookie ?? '')[nameOf(settings)]
}

/** Sets the session cookie. Its path is `/console`, so browsers never send it to short links. */
export function setSessionCookie(settings: Settings, reply: FastifyReply, token: string): void {
  reply.setCookie(nameOf(settings), token, { ...optionsOf(settings), maxAge: LONGEST / 1000 })
}

/** Clears the session cookie. */
export function clearSessionCookie(settings: Settings, reply: FastifyReply): void {
  reply.clearCookie(nameOf(settings), optionsOf(settings))
}

function optionsOf(settings: Settings) {
  return {
    path: '/console',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(settings),
  } as const
}

/**
 * With https, the name has a prefix that browsers accept only over https (RFC 6265bis, section
 * 4.1.3.1). `__Host-` would require the path `/`, so browsers would send it to short links.
 */
function nameOf(settings: Settings): string {
  return isSecure(settings) ? '__Secure-brevis_session' : 'brevis_session'
}

function isSecure({ baseUrl }: Settings): boolean {
  return baseUrl.startsWith('https:')
}
