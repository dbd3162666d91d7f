import type { FastifyReply, FastifyRequest } from 'fastify'
import { LONGEST } from '../../accounts/session.ts'
import type { Config } from '../../config.ts'

type Settings = Pick<Config, 'baseUrl'>

/** The token that a visitor's browser holds, if it is signed in. */
export function readSessionToken(settings: Settings, request: FastifyRequest): string | undefined {
  return request.server.parseCookie(request.headers.cookie ?? '')[nameOf(settings)]
}

/** Has the browser hold `token`, and send it to the console alone: no redirect ever carries it. */
export function setSessionCookie(settings: Settings, reply: FastifyReply, token: string): void {
  reply.setCookie(nameOf(settings), token, { ...optionsOf(settings), maxAge: LONGEST / 1000 })
}

/** Has the browser drop the cookie of its session. */
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
 * Under https a name that browsers take over https alone (RFC 6265bis, section 4.1.3.1). `__Host-` would
 * ask for the path `/`, and so for the cookie at every redirect.
 */
function nameOf(settings: Settings): string {
  return isSecure(settings) ? '__Secure-brevis_session' : 'brevis_session'
}

function isSecure({ baseUrl }: Settings): boolean {
  return baseUrl.startsWith('https:')
}
