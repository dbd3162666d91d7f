import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { equalsInConstantTime } from '../../constant-time.ts'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { countChange, countPreview, findSession } from '../../identity/session.service.ts'
import type { Session } from '../../identity/session.ts'

import type { Scope } from '../../scope.ts'
import { normalizeHost } from '../../urls/host.ts'
import { deriveFormToken, maskToken, unmaskToken } from '../html/form-token.ts'
import { readSessionToken } from '../html/session-cookie.ts'
import { declareRoles, requireRole } from './kit/roles.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The signed-in user's session and form token, set before any page behind the guard. */
    session: Session & { csrf: string; hasProvider: boolean }
    /** The account, the domain and the author of what the caller does. */
    scope: Scope<HttpContext>
  }
  interface FastifyContextConfig {
    /** Whether the route only previews a form and changes nothing. */
    preview?: boolean
    /** Whether the route stands for all paths without a page. */
    unknown?: boolean
  }
}

/**
 * Requires a session with a sufficient role for every page, and a form token for every change. Limits
 * the changes of an account.
 */
export function guardConsole(app: FastifyInstance, ctx: HttpContext): void {
  const { config } = ctx
  declareRoles(app)
  app.addHook('onRequest', async (request, reply): Promise<FastifyReply | undefined> => {
    const token = readSessionToken(config, request)
    const session = token === undefined ? undefined : await findSession(ctx, ctx.db, token)
    if (token === undefined || !session) {
      if (request.routeOptions.config.unknown) throw new AppError('not_found')
      return reply.redirect(buildSignInPath(request), 303)
    }
    const hasProvider = ctx.provider !== undefined
    request.session = { ...session, csrf: maskToken(deriveFormToken(token)), hasProvider }
    request.locale.language = session.user.language
    const actor = { surface: 'console', id: session.user.id } as const
    request.scope = { ...ctx, accountId: session.account.id, domain: null, actor }
    requireRole(request)
    return undefined
  })

  app.addHook('preHandler', async (request, reply) => {
    if (request.method !== 'POST') return
    const { csrf } = (request.body ?? {}) as Record<string, unknown>
    if (!equalsInConstantTime(unmaskToken(request.session.csrf), unmaskToken(csrf))) {
      throw new AppError('forbidden', { text: 'rejections.form_expired_reload' })
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
 * Rejects forms sent from other sites: by `Sec-Fetch-Site`, or in browsers without it, by `Origin`. A
 * request with neither is not from a current browser, and still needs a form token.
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
      : origin === undefined || parseHost(origin) === normalizeHost(headers.host ?? '')
  if (!isOurs) throw new AppError('forbidden', { text: 'rejections.form_from_elsewhere' })
}

/** Returns the path of the sign-in page, which continues to the requested page unless it was a POST. */
function buildSignInPath({ method, url }: FastifyRequest): string {
  const next = method === 'POST' ? '/console' : url
  return next === '/console'
    ? '/console/sign-in'
    : `/console/sign-in?${new URLSearchParams({ next })}`
}

function parseHost(origin: string): string | undefined {
  const host = URL.parse(origin)?.host
  return host && normalizeHost(host)
}
