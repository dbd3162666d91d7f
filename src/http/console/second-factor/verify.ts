import { html } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import {
  challengePasskey,
  completeWithPasskey,
  startPasskeySignIn,
} from '../../../identity/second-factor/passkeys.service.ts'
import {
  completeWithCode,
  findSecondStep,
} from '../../../identity/second-factor/second-step.service.ts'
import type { Origin } from '../../../identity/session.service.ts'
import { t } from '../../../texts.ts'
import { clearPendingCookie, readPendingToken } from '../../html/session-cookie.ts'
import { describeBrowser } from '../../request/browser.ts'
import { defineForm, type PageState } from '../kit/form.ts'
import { parseConsolePath } from '../kit/query.ts'
import type { SignedOutPage } from '../kit/signed-out.ts'
import { type ConsoleRequest, defineSignedOutSubject, type Redirect } from '../kit/subject.ts'
import { readFields } from '../shell/send.ts'
import { continueSignIn } from '../sign-in.ts'
import { renderPasskeyForm } from './passkeys.ts'

const PATH = '/console/sign-in/verify'

/** The form of users with one-time codes, who may enter a recovery code instead. */
const codeForm = defineForm({
  code: {
    label: 'secondFactor.code',
    hint: 'secondFactor.verifyHint',
    autocomplete: 'one-time-code',
    maxLength: 40,
  },
  next: { type: 'hidden' },
})

/** The form of users who have only passkeys. */
const recoveryForm = defineForm({
  code: { label: 'secondFactor.recoveryCode', autocomplete: 'one-time-code', maxLength: 40 },
  next: { type: 'hidden' },
})

const passkeyForm = defineForm({ credential: { type: 'hidden' }, next: { type: 'hidden' } })

/** Registers the second step of signing in, and signing in with a passkey only. */
export function registerVerifyRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { config, db } = ctx
  const { page, submit, action } = defineSignedOutSubject(app)

  page('/sign-in/verify', 'everyone', async (request) => {
    const next = parseConsolePath(request.query.next) ?? ''
    return (await renderVerification(request, { values: { next } })) ?? { to: '/console/sign-in' }
  })

  submit(
    '/sign-in/verify',
    'everyone',
    codeForm,
    (request, { code, next }, reply) =>
      complete(request, reply, next, (token, origin) =>
        completeWithCode(ctx, db, token, { code, ...origin }),
      ),
    renderAgain,
  )

  submit(
    '/sign-in/verify/passkey',
    'everyone',
    passkeyForm,
    (request, { credential, next }, reply) =>
      complete(request, reply, next, (token, origin) =>
        completeWithPasskey(ctx, db, token, { response: credential, ...origin }),
      ),
    renderAgain,
  )

  action('/sign-in/passkey', 'everyone', async (request, reply) => {
    const { next } = readFields(request.body, ['next'])
    const pending = await startPasskeySignIn(ctx, db, request.ip)
    return continueSignIn(ctx, reply, { pending }, parseConsolePath(next))
  })

  /**
   * Completes a sign-in with `work`, which returns the session's token for the token of the pending
   * sign-in.
   */
  async function complete(
    request: ConsoleRequest,
    reply: FastifyReply,
    next: string,
    work: (pendingToken: string, origin: Origin) => Promise<string>,
  ): Promise<Redirect> {
    try {
      const origin = { address: request.ip, browser: describeBrowser(request) }
      const token = await work(readPendingToken(config, request) ?? '', origin)
      return await continueSignIn(ctx, reply, { token }, parseConsolePath(next))
    } catch (error) {
      throw error instanceof AppError ? explain(error) : error
    }
  }

  async function renderAgain(
    request: ConsoleRequest,
    state: PageState,
    { reply }: { reply: FastifyReply },
  ): Promise<SignedOutPage> {
    const next = parseConsolePath(state.values?.next) ?? ''
    const page = await renderVerification(request, { ...state, values: { next } })
    if (page) return page
    clearPendingCookie(config, reply)
    return renderExpired()
  }

  /** Renders the second step of signing in, or returns undefined if the sign-in has expired. */
  async function renderVerification(
    request: ConsoleRequest,
    state: PageState,
  ): Promise<SignedOutPage | undefined> {
    const token = readPendingToken(config, request) ?? ''
    const secondStep = await findSecondStep(ctx, db, token)
    if (!secondStep) return undefined
    const { user, factor } = secondStep
    const hasCodes = factor !== undefined && factor.codesSince !== null
    const passkey = await challengePasskey(ctx, db, token, user?.id)
    const next = state.values?.next
    const rendering = { action: PATH, button: t('secondFactor.verify'), isWide: true }
    const title = t(hasCodes ? 'secondFactor.verifyTitle' : 'secondFactor.passkeyTitle')
    return {
      title,
      body: (frame) => html`<h1>${title}</h1>
${user ? html`<p class="soft">${t('secondFactor.signingIn', { email: user.email })}</p>` : null}
${codeForm.renderError(state)}
${hasCodes ? codeForm.render(frame, state, { ...rendering, autofocus: true }) : null}
${
  passkey
    ? renderPasskeyForm({
        kind: 'request',
        options: passkey,
        csrf: frame.csrf,
        action: `${PATH}/passkey`,
        fields: next ? { next } : {},
        button: t('secondFactor.passkeyButton'),
        error: state.errors?.credential,
      })
    : null
}
${user && !hasCodes ? html`<details${state.errors?.code ? html` open` : null}><summary>${t('secondFactor.recoveryCode')}</summary>${recoveryForm.render(frame, state, rendering)}</details>` : null}
<p class="small soft"><a href="/console/sign-in">${t('secondFactor.otherUser')}</a></p>`,
    }
  }
}

/** Returns an error with the text that fits the second step. */
function explain(error: AppError): AppError {
  const { code, field, retryAfter = 0 } = error
  if (code === 'rate_limited') {
    // Only the limit per day requires a longer wait than a minute.
    const text = retryAfter > 60 ? 'secondFactor.tooManyToday' : 'secondFactor.tooManyAttempts'
    return new AppError('rate_limited', { text, retryAfter })
  }
  if (field !== 'credential') return error
  return new AppError('invalid_input', { field, text: 'secondFactor.passkeyRefused' })
}

/** Renders the page of a second step whose first step has expired. */
function renderExpired(): SignedOutPage {
  return {
    title: t('secondFactor.expiredTitle'),
    body: () => html`<h1>${t('secondFactor.expiredTitle')}</h1>
<p class="soft">${t('secondFactor.expired')}</p>
<p class="actions"><a class="button" href="/console/sign-in">${t('secondFactor.signIn')}</a></p>`,
    status: new AppError('sign_in_expired').status,
  }
}
