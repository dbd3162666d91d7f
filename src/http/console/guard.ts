import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { countChange, countPreview, findSession } from '../../accounts/session.service.ts'
import type { Session } from '../../accounts/session.ts'
import type { HttpContext } from '../../context.ts'
import { normalizeHost } from '../../domains/hosts.ts'
import { AppError } from '../../errors.ts'
import { readSessionToken } from '../html/session-cookie.ts'
import { declareRoles, requireRole } from './people/route-roles.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who is signed in, with the token of that person's forms; set before any page behind the guard. */
    session: Session & { csrf: string }
  }
  interface FastifyContextConfig {
    /** Whether the route shows what a form would make, and changes nothing. */
    preview?: boolean
  }
}

/** Lets nobody further who is not signed in, and takes no change but from a form of these pages. */
export function guardConsole(app: FastifyInstance, ctx: HttpContext): void {
  const { config } = ctx
  declareRoles(app)
  app.addHook('onRequest', async (request, reply): Promise<FastifyReply | undefined> => {
    const token = readSessionToken(config, request)
    const session = token === undefined ? undefined : await findSession(ctx, ctx.db, token)
    if (token === undefined || !session) return reply.redirect(signInPath(request), 303)
    request.session = { ...session, csrf: formTokenOf(token) }
    requireRole(request)
    return undefined
  })

  app.addHook('preHandler', async (request, reply) => {
    if (request.method !== 'POST') return
    const { csrf } = (request.body ?? {}) as Record<string, unknown>
    if (!equals(request.session.csrf, csrf)) {
      throw new AppError(
        'forbidden',
        'This form has expired. Please open the page again and retry.',
      )
    }
    const { id } = request.session.account
    const isPreview = request.routeOptions.config.preview ?? false
    const retryAfter = await (isPreview ? countPreview(ctx, id) : countChange(ctx, id))
    if (retryAfter === undefined) return
    reply.header('retry-after', String(retryAfter))
    throw new AppError('rate_limited')
  })
}

/**
 * Refuses what another site has a browser send. Browsers say where a form comes from, and `null` where
 * they will not tell; what says nothing at all is no browser of today, and still needs the form's token.
 *
 * @throws AppError `forbidden`
 */
export function checkSameOrigin({ method, headers }: FastifyRequest): void {
  if (method !== 'POST') return
  const site = headers['sec-fetch-site']
  const { origin } = headers
  const isOurs =
    site !== undefined
      ? site === 'same-origin' || site === 'none'
      : origin === undefined || hostOf(origin) === normalizeHost(headers.host ?? '')
  if (!isOurs) throw new AppError('forbidden', 'This form was sent from another site.')
}

/** The page to sign in at, and from there on to the page that was asked for. */
function signInPath({ method, url }: FastifyRequest): string {
  const next = method === 'POST' ? '/console' : url
  return next === '/console'
    ? '/console/sign-in'
    : `/console/sign-in?${new URLSearchParams({ next })}`
}

/** The token of a session's forms: who does not know the session's own cannot know it. */
function formTokenOf(token: string): string {
  return createHash('sha256').update(`form ${token}`).digest('base64url')
}

function equals(expected: string, given: unknown): boolean {
  const one = Buffer.from(expected)
  const other = Buffer.from(typeof given === 'string' ? given : '')
  return one.length === other.length && timingSafeEqual(one, other)
}

function hostOf(origin: string): string | undefined {
  const host = URL.parse(origin)?.host
  return host && normalizeHost(host)
}
