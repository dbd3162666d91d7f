import { html } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import type { IdentityProvider } from '../../../identity/oidc/provider.ts'
import { connectIdentity, signInWithIdentity } from '../../../identity/oidc/sign-in.service.ts'
import { endSession, findSession } from '../../../identity/session.service.ts'
import { t } from '../../../texts.ts'
import { normalizeHost } from '../../../urls/host.ts'
import { createErrorHeaders, toAppError } from '../../errors.ts'
import { describeError } from '../../html/describe-error.ts'
import { readSessionToken, setSessionCookie } from '../../html/session-cookie.ts'
import { describeBrowser } from '../../request/browser.ts'
import { parseConsolePath } from '../kit/query.ts'
import { type SignedOutPage, sendSignedOutPage } from '../kit/signed-out.ts'
import { type ConsoleRequest, defineSignedOutSubject, type Redirect } from '../kit/subject.ts'
import { renderSignIn } from '../sign-in.ts'
import { consumePendingSignIn, hashSessionToken, setPendingSignIn } from './pending-sign-in.ts'

/** Requests per IP address and minute that start or complete a sign-in. */
const MAX_ATTEMPTS_PER_MINUTE = 60

/**
 * Registers the routes for signing in, accepting invitations and connecting users with the identity
 * provider, if one is configured.
 */
export function registerOidcRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config, db, provider } = ctx
  if (!provider) return
  const { page, action } = defineSignedOutSubject(app)

  page('/oidc/start', 'everyone', async (request, reply) => {
    // The provider redirects back to BASE_URL, so the cookie must be set on that host.
    const { host } = new URL(config.baseUrl)
    if (normalizeHost(request.headers.host ?? '') !== normalizeHost(host)) {
      return { to: `${config.baseUrl}/console/oidc/start${getQuery(request)}` }
    }
    return attempt(request, async () => {
      const { again, next } = request.query
      const { url, secrets } = await provider.start({ mustReauthenticate: again === '1' })
      setPendingSignIn(config, reply, { ...secrets, next: parseConsolePath(next) })
      return { to: url }
    })
  })

  action(
    '/invitations/:token/provider',
    'everyone',
    (request, reply) =>
      attempt(request, async () => {
        const { url, secrets } = await provider.start()
        setPendingSignIn(config, reply, { ...secrets, invitation: request.params.token })
        return renderContinuation(provider.name, url)
      }),
    async (_request, rejection) => renderRejection(rejection),
  )

  page('/oidc/callback', 'everyone', async (request, reply) => {
    const pending = consumePendingSignIn(config, request, reply)
    if (!pending) return renderRejection(createExpiredError())
    return attempt(request, async () => {
      const identity = await provider.finish(getQuery(request), pending)
      const { invitation, next, sessionHash } = pending
      if (sessionHash !== undefined) {
        await connect(request, sessionHash, identity)
        return { to: '/console/settings', toast: 'saved' }
      }
      const origin = { address: request.ip, browser: describeBrowser(request) }
      const token = await signInWithIdentity(ctx, db, identity, { ...origin, invitation })
      // Another user may be signed in with this browser.
      const oldToken = readSessionToken(config, request)
      if (oldToken !== undefined) await endSession(db, oldToken)
      setSessionCookie(config, reply, token)
      return { to: next ?? '/console' }
    })
  })

  /** Counts a request of an IP address and runs it, or shows the sign-in page with the error. */
  async function attempt(
    request: ConsoleRequest,
    work: () => Promise<Redirect | SignedOutPage>,
  ): Promise<Redirect | SignedOutPage> {
    try {
      const key = `oidc:${ctx.hashAddress(request.ip)}`
      const retryAfter = await ctx.rateLimiter.count(key, MAX_ATTEMPTS_PER_MINUTE)
      if (retryAfter !== undefined) throw new AppError('rate_limited', { retryAfter })
      return await work()
    } catch (error) {
      return renderRejection(toAppError(error, request))
    }
  }

  /** Renders the sign-in page with the error. Throws internal errors. */
  function renderRejection(rejection: AppError): SignedOutPage {
    if (rejection.code === 'internal') throw rejection
    const { status } = rejection
    const headers = createErrorHeaders(rejection)
    return { ...renderSignIn(ctx, { errors: { form: describeError(rejection) } }), status, headers }
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
      throw createExpiredError()
    }
    await connectIdentity(db, session.user.id, identity)
  }
}

/**
 * Sends the browser of the signed-in user to the provider. The callback connects the identity from
 * there to the user. Throws AppError `provider_unavailable`.
 */
export async function startConnection(
  { config }: Pick<HttpContext, 'config'>,
  provider: IdentityProvider,
  reply: FastifyReply,
): Promise<undefined> {
  const { url, secrets } = await provider.start()
  const sessionHash = hashSessionToken(readSessionToken(config, reply.request) ?? '')
  setPendingSignIn(config, reply, { ...secrets, sessionHash })
  sendSignedOutPage(reply, renderContinuation(provider.name, url))
}

/**
 * Renders a page that continues to the provider immediately. It replaces a redirect after a form,
 * which browsers would block: the content security policy allows forms only for this site.
 */
function renderContinuation(name: string, url: string): SignedOutPage {
  const title = t('oidc.continueTo', { name })
  return {
    title,
    head: html`<meta http-equiv="refresh" content="0; url=${url}">`,
    body: () => html`<h1>${title}</h1>
<p class="soft">${t('oidc.comeBack')}</p>
<p class="actions"><a class="button" href="${url}">${t('oidc.continueWith', { name })}</a></p>`,
  }
}

function createExpiredError(): AppError {
  return new AppError('provider_sign_in_failed', { text: 'oidc.expired' })
}

function getQuery({ url }: FastifyRequest): string {
  return url.replace(/^[^?]*/, '')
}
