import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import {
  checkCredentials,
  findSession,
  signInTrusted,
  switchAccount,
} from '../../../../accounts/session.service.ts'
import type { Session } from '../../../../accounts/session.ts'
import type { StartedSession } from '../../../../accounts/start-session.ts'
import type { HttpContext } from '../../../../context.ts'
import { AppError } from '../../../../errors.ts'
import { acceptWithPassword } from '../../../../people/accept-with-password.ts'
import { acceptInvitation, findInvitation } from '../../../../people/invitation.service.ts'
import type { OpenInvitation } from '../../../../people/invitation.ts'
import { createErrorHeaders, toAppError } from '../../../errors.ts'
import { checkFormToken, issueFormToken } from '../../../html/form-token.ts'
import { pageRoute } from '../../../html/page-route.ts'
import { readSessionToken } from '../../../html/session-cookie.ts'
import { describeBrowser } from '../../../request/browser.ts'
import { describeFormError, describeLabeledError } from '../../errors/labeled-error.ts'
import { continueSignIn } from '../../second-factor/continue-sign-in.ts'
import { readFields, sendSignedOutPage } from '../../shell/send.ts'
import { renderInvitationPage, renderInvitationRejectedPage } from './page.ts'

type InvitationRequest = FastifyRequest<{ Params: { token: string } }>

/** Sends only the origin as the referrer, because the path contains the token. */
const HEADERS = { 'referrer-policy': 'strict-origin' }

/** Registers the routes of an invitation link, for existing and new users. */
export function registerInvitationRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config, db } = ctx

  app.route({
    ...pageRoute,
    url: '/invitations/:token',
    handler: async (request: InvitationRequest, reply) => sendInvitation(request, reply),
  })

  app.post(
    '/invitations/:token',
    { schema: { hide: true } },
    async (request: InvitationRequest, reply) => {
      const { csrf, password, timeZone } = readFields(request.body, [
        'csrf',
        'password',
        'timeZone',
      ])
      const { token } = request.params
      try {
        checkFormToken(request, csrf)
        const invitation = await findInvitation(ctx, db, token)
        if (!invitation) throw new AppError('invitation_invalid')
        const session = await findRequestSession(request)
        if (session) {
          await acceptInvitation(ctx, db, token, session.user)
          await switchAccount(db, session, invitation.accountId)
          return reply.redirect('/console', 303)
        }
        const input = { password: password.slice(0, 1000), timeZone }
        const started = await acceptSignedOut(request, invitation, input)
        return await continueSignIn(ctx, reply, started)
      } catch (error) {
        const rejection = toAppError(error, request)
        if (rejection.status >= 500) throw rejection
        return sendInvitation(request, reply, rejection)
      }
    },
  )

  /** Accepts an invitation for a signed-out user, and starts a session or the second step of sign-in. */
  async function acceptSignedOut(
    request: InvitationRequest,
    { isKnown, email, accountId }: OpenInvitation,
    { password, timeZone }: { password: string; timeZone: string },
  ): Promise<StartedSession> {
    const { token } = request.params
    const origin = { address: request.ip, browser: describeBrowser(request) }
    if (isKnown) {
      const verified = await verifyUser({ email, password, address: request.ip })
      return acceptWithPassword(ctx, db, token, { ...verified, browser: origin.browser })
    }
    const { user } = await acceptInvitation(ctx, db, token, {
      password,
      timeZone,
      language: request.locale.language,
    })
    return signInTrusted(ctx, db, user, { ...origin, accountId })
  }

  async function verifyUser(credentials: Parameters<typeof checkCredentials>[2]) {
    const result = await checkCredentials(ctx, db, credentials)
    if (!result.rejection) return result
    if (result.rejection === 'wrong')
      throw new AppError('invalid_input', {
        text: 'rejections.password_incorrect',
        field: 'password',
      })
    const { retryAfter } = result
    throw new AppError(result.rejection, retryAfter === undefined ? {} : { retryAfter })
  }

  async function findRequestSession(request: FastifyRequest): Promise<Session | undefined> {
    const token = readSessionToken(config, request)
    return token === undefined ? undefined : findSession(ctx, db, token)
  }

  async function sendInvitation(
    request: InvitationRequest,
    reply: FastifyReply,
    rejection?: AppError,
  ): Promise<FastifyReply> {
    const invitation = await findInvitation(ctx, db, request.params.token)
    if (!invitation) return sendRejection(reply, new AppError('invitation_invalid'))
    const session = await findRequestSession(request)
    const csrf = issueFormToken(reply)
    const isPasswordError = rejection?.field === 'password'
    const errorField = isPasswordError ? 'password' : 'form'
    const errors = rejection ? { [errorField]: describeFormError(errorField, rejection) } : {}
    const signedInAs = session?.user.email
    const { token } = request.params
    const provider = ctx.provider && {
      name: ctx.provider.name,
      action: `/console/invitations/${token}/provider`,
    }
    const allowsPasswords = config.passwordSignIn
    return sendSignedOutPage(
      reply,
      (nonce) =>
        renderInvitationPage({
          nonce,
          csrf,
          invitation,
          signedInAs,
          errors,
          provider,
          allowsPasswords,
        }),
      {
        status: isPasswordError ? 422 : (rejection?.status ?? 200),
        headers: { ...HEADERS, ...(rejection && createErrorHeaders(rejection)) },
      },
    )
  }
}

function sendRejection(reply: FastifyReply, rejection: AppError): FastifyReply {
  const text = describeLabeledError(rejection)
  return sendSignedOutPage(reply, (nonce) => renderInvitationRejectedPage({ nonce, text }), {
    status: rejection.status,
    headers: HEADERS,
  })
}
