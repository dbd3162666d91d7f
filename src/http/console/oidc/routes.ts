import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { endSession, findSession } from '../../../accounts/session.service.ts'
import type { HttpContext } from '../../../context.ts'
import { normalizeHost } from '../../../domains/hosts.ts'
import { AppError } from '../../../errors.ts'
import type { IdentityProvider } from '../../../people/oidc/provider.ts'
import { connectIdentity, signInWithIdentity } from '../../../people/oidc/sign-in.service.ts'
import { createErrorHeaders, toAppError } from '../../errors.ts'
import { describeError } from '../../html/describe-error.ts'
import { checkFormToken } from '../../html/form-token.ts'
import { pageRoute } from '../../html/page-route.ts'
import { readSessionToken, setSessionCookie } from '../../html/session-cookie.ts'
import { describeBrowser } from '../../request/browser.ts'
import { sendSignedOutPage as sendPlainPage } from '../kit/signed-out.ts'
import { parseConsolePath } from '../shell/console-path.ts'
import { readFields, sendSignedOutPage } from '../shell/send.ts'
import { setToast } from '../shell/toast.ts'
import { renderSignIn } from '../sign-in.ts'
import { renderContinuePage } from './continue-page.ts'
import { consumePendingSignIn, setPendingSignIn } from './pending-sign-in.ts'
import { hashSessionToken } from './session-hash.ts'

type StartRequest = FastifyRequest<{ Querystring: { next?: unknown; again?: unknown } }>
type InvitationRequest = FastifyRequest<{ Params: { token: string } }>

/** Requests per IP address and minute that start or complete a sign-in. */
const MAX_ATTEMPTS_PER_MINUTE = 60

/**
 * Registers the routes for signing in, accepting invitations and connecting users with the identity
 * provider, if one is configured.
 */
export function registerOidcRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config, db, provider } = ctx
  if (provider) registerProviderRoutes(provider)

  function registerProviderRoutes(provider: IdentityProvider): void {
    app.route({
      ...pageRoute,
      url: '/oidc/start',
      handler: async (request: StartRequest, reply) => {
        // The provider redirects back to BASE_URL, so the cookie must be set on that host.
        const { host } = new URL(config.baseUrl)
        if (normalizeHost(request.headers.host ?? '') !== normalizeHost(host)) {
          const query = request.url.replace(/^[^?]*/, '')
          return reply.redirect(`${config.baseUrl}/console/oidc/start${query}`, 303)
        }
        try {
          await countAttempt(request)
          const { url, secrets } = await provider.start({
            mustReauthenticate: request.query.again === '1',
          })
          setPendingSignIn(config, reply, {
            ...secrets,
            next: parseConsolePath(request.query.next),
          })
          return reply.redirect(url, 303)
        } catch (error) {
          return sendRejection(request, reply, error)
        }
      },
    })

    app.post(
      '/invitations/:token/provider',
      { schema: { hide: true } },
      async (request: InvitationRequest, reply) => {
        const { csrf } = readFields(request.body, ['csrf'])
        try {
          checkFormToken(request, csrf)
          await countAttempt(request)
          const { url, secrets } = await provider.start()
          setPendingSignIn(config, reply, { ...secrets, invitation: request.params.token })
          return sendSignedOutPage(reply, (nonce) =>
            renderContinuePage({ nonce, name: provider.name, url }),
          )
        } catch (error) {
          return sendRejection(request, reply, error)
        }
      },
    )

    app.route({
      ...pageRoute,
      url: '/oidc/callback',
      handler: async (request, reply) => {
        const pending = consumePendingSignIn(config, request, reply)
        try {
          if (!pending) throw new AppError('provider_sign_in_failed', { text: 'oidc.expired' })
          await countAttempt(request)
          const query = request.url.replace(/^[^?]*/, '')
          const identity = await provider.finish(query, pending)
          if (pending.sessionHash !== undefined) {
            await connect(request, pending.sessionHash, identity)
            setToast(reply, 'saved')
            return reply.redirect('/console/settings', 303)
          }
          const origin = { address: request.ip, browser: describeBrowser(request) }
          const { invitation, next } = pending
          const token = await signInWithIdentity(ctx, db, identity, { ...origin, invitation })
          // Another user may be signed in with this browser.
          const oldToken = readSessionToken(config, request)
          if (oldToken !== undefined) await endSession(db, oldToken)
          setSessionCookie(config, reply, token)
          return reply.redirect(next ?? '/console', 303)
        } catch (error) {
          return sendRejection(request, reply, error)
        }
      },
    })
  }

  /**
   * Connects an identity to the signed-in user, if this session started the sign-in at the provider.
   *
   * @throws AppError `provider_sign_in_failed`, `provider_user_taken`
   */
  async function connect(
    request: FastifyRequest,
    sessionHash: string,
    identity: Parameters<typeof connectIdentity>[2],
  ): Promise<void> {
    const token = readSessionToken(config, request)
    const session = token === undefined ? undefined : await findSession(ctx, db, token)
    if (token === undefined || !session || hashSessionToken(token) !== sessionHash) {
      throw new AppError('provider_sign_in_failed', { text: 'oidc.expired' })
    }
    await connectIdentity(db, session.user.id, identity)
  }

  /** Counts a request of an IP address. @throws AppError `rate_limited` */
  async function countAttempt({ ip }: FastifyRequest): Promise<void> {
    const retryAfter = await ctx.rateLimiter.count(
      `oidc:${ctx.hashAddress(ip)}`,
      MAX_ATTEMPTS_PER_MINUTE,
    )
    if (retryAfter !== undefined) throw new AppError('rate_limited', { retryAfter })
  }

  /** Sends the sign-in page with the error. Throws internal errors. */
  function sendRejection(
    request: FastifyRequest,
    reply: FastifyReply,
    error: unknown,
  ): FastifyReply {
    const rejection = toAppError(error, request)
    if (rejection.code === 'internal') throw rejection
    const { status } = rejection
    const headers = createErrorHeaders(rejection)
    const page = renderSignIn(ctx, { errors: { form: describeError(rejection) } })
    return sendPlainPage(reply, { ...page, status, headers })
  }
}
