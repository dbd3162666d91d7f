import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import {
  acceptInvitation,
  acceptWithPassword,
  findInvitation,
} from '../../identity/invitation.service.ts'
import type { OpenInvitation } from '../../identity/invitation.ts'
import {
  checkCredentials,
  findSession,
  signInTrusted,
  switchAccount,
} from '../../identity/session.service.ts'
import type { Session } from '../../identity/session.ts'
import type { StartedSession } from '../../identity/start-session.ts'
import { timeZoneField } from '../../pages/field.ts'
import { t } from '../../texts.ts'
import { readSessionToken } from '../html/session-cookie.ts'
import { describeBrowser } from '../request/browser.ts'
import { renderUsername } from './kit/fields.ts'
import { defineForm, type PageState } from './kit/form.ts'
import { renderButtonForm } from './kit/parts.ts'
import {
  renderUnusableLink,
  type SignedOutFrame,
  type SignedOutPage,
  TOKEN_HEADERS,
} from './kit/signed-out.ts'
import { type ConsoleRequest, defineSignedOutSubject } from './kit/subject.ts'
import { readFields } from './shell/send.ts'
import { continueSignIn } from './sign-in.ts'

/** The form of signed-in users, who join without a password. */
const joinForm = defineForm({})

const signInForm = defineForm({
  password: {
    type: 'password',
    label: 'shell.fields.password',
    autocomplete: 'current-password',
  },
})

/** The form of people who have no user yet. */
const registrationForm = defineForm({
  password: {
    type: 'password',
    label: 'shell.fields.password',
    hint: 'shell.fields.passwordHint',
    autocomplete: 'new-password',
    minLength: 8,
  },
})

/** Registers the page of an invitation link, for existing and new users. */
export function registerInvitationRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config, db } = ctx
  const { page, submit } = defineSignedOutSubject(app)

  page('/invitations/:token', 'everyone', (request) => renderInvitation(request))

  submit(
    '/invitations/:token',
    'everyone',
    signInForm,
    async (request, { password }, reply) => {
      const { token = '' } = request.params
      const invitation = await findInvitation(ctx, db, token)
      if (!invitation) throw new AppError('invitation_invalid')
      const session = await findOwnSession(request)
      if (session) {
        await acceptInvitation(ctx, db, token, session.user)
        await switchAccount({ db, accountId: invitation.accountId }, session)
        return { to: '/console' }
      }
      const started = await acceptSignedOut(request, invitation, password.slice(0, 1000))
      return continueSignIn(ctx, reply, started)
    },
    renderInvitation,
  )

  /** Accepts an invitation for a signed-out user, and starts a session or the second step of sign-in. */
  async function acceptSignedOut(
    request: ConsoleRequest,
    { isKnown, email, accountId }: OpenInvitation,
    password: string,
  ): Promise<StartedSession> {
    const { token = '' } = request.params
    const origin = { address: request.ip, browser: describeBrowser(request) }
    if (isKnown) {
      const verified = await verifyUser({ email, password, address: request.ip })
      return acceptWithPassword(ctx, db, token, { ...verified, browser: origin.browser })
    }
    const { timeZone } = readFields(request.body, ['timeZone'])
    const { language } = request.locale
    const { user } = await acceptInvitation(ctx, db, token, { password, timeZone, language })
    return signInTrusted(ctx, db, user, { ...origin, accountId })
  }

  async function verifyUser(credentials: Parameters<typeof checkCredentials>[2]) {
    const result = await checkCredentials(ctx, db, credentials)
    if (!result.rejection) return result
    const { rejection, retryAfter = 0 } = result
    throw rejection === 'wrong'
      ? new AppError('invalid_input', { text: 'rejections.password_incorrect', field: 'password' })
      : new AppError(rejection, { retryAfter })
  }

  async function findOwnSession(request: ConsoleRequest): Promise<Session | undefined> {
    const token = readSessionToken(config, request)
    return token === undefined ? undefined : findSession(ctx, db, token)
  }

  async function renderInvitation(
    request: ConsoleRequest,
    state: PageState = {},
  ): Promise<SignedOutPage> {
    const { token = '' } = request.params
    const invitation = await findInvitation(ctx, db, token)
    if (!invitation) {
      return renderUnusableLink(t('invitation.title'), new AppError('invitation_invalid'))
    }
    const { account, role, email } = invitation
    const user = (await findOwnSession(request))?.user
    const title = t('invitation.join', { account })
    return {
      title,
      body: (frame) => html`<h1>${title}</h1>
<p class="soft">${t('invitation.intro', { role })}</p>
${joinForm.renderError(state)}
${user || !ctx.provider ? null : renderButtonForm(frame, { action: `/console/invitations/${token}/provider`, text: t('oidc.acceptWith', { name: ctx.provider.name }), className: 'button full' })}
${user ? joinForm.render(frame, {}, { before: html`<p>${t('invitation.joinAs', { email: user.email })}</p>`, button: t('invitation.accept'), isWide: true }) : null}
${user || !config.passwordSignIn ? null : renderPasswordForm(frame, invitation, state)}
${user && user.email !== email ? html`<p class="small soft">${t('invitation.otherEmail', { email })}</p>` : null}`,
      headers: TOKEN_HEADERS,
    }
  }
}

function renderPasswordForm(
  frame: SignedOutFrame,
  { email, isKnown }: OpenInvitation,
  state: PageState,
): SafeHtml | null {
  const text = isKnown ? 'invitation.signInAs' : 'invitation.createPassword'
  const form = isKnown ? signInForm : registrationForm
  return form.render(frame, state, {
    before: html`${isKnown ? null : timeZoneField(frame.nonce)}<p>${t(text, { email })}</p>
${renderUsername(email)}`,
    button: t('invitation.accept'),
    isWide: true,
    autofocus: true,
  })
}
