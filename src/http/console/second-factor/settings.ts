import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { checkAllAsync } from '../../../errors.ts'
import { renewRecoveryCodes } from '../../../identity/second-factor/change-factor.ts'
import {
  type CodeSetup,
  confirmCodes,
  getCodeSetup,
  isOneTimeCode,
  startCodeSetup,
  turnOffCodes,
  verifyCode,
} from '../../../identity/second-factor/one-time-codes.service.ts'
import {
  addPasskey,
  checkPasskeyName,
  hasPasskeys,
  removePasskey,
  requirePasskey,
  startPasskeySetup,
} from '../../../identity/second-factor/passkeys.service.ts'
import { getSecondFactor } from '../../../identity/second-factor/second-factor.service.ts'
import type { SecondFactor } from '../../../identity/second-factor/second-factor.ts'
import { createQrMatrix } from '../../../qr/drawing/matrix.ts'
import { renderSvg } from '../../../qr/drawing/render-svg.ts'
import { findText, getSiteName, t } from '../../../texts.ts'
import { uncompressedHeader } from '../../compression.ts'
import { confirmPassword } from '../kit/confirmation.ts'
import { defineForm, type PageState } from '../kit/form.ts'
import { renderCopyable, renderCopyButton, renderPanel, renderUntitledPanel } from '../kit/parts.ts'
import { type ConsoleRequest, defineSubject, idOf, type Page } from '../kit/subject.ts'
import { describeLabeledError } from '../shell/describe-error.ts'
import { formatMoment } from '../shell/format.ts'
import type { Frame } from '../shell/layout.ts'
import { readFields } from '../shell/send.ts'
import {
  defineProofForm,
  defineRemovalForm,
  getProofName,
  PATH,
  passkeyForm,
  renderCreation,
  renderPasskeys,
} from './passkeys.ts'

/** The width and height of the QR code in pixels. */
const QR_CODE_SIZE = 240

const setupForm = defineForm(
  { codesPassword: { type: 'confirmation', label: 'secondFactor.password' } },
  { fields: { currentPassword: 'codesPassword' } },
)

const codeForm = defineForm({
  code: {
    label: 'secondFactor.code',
    hint: 'secondFactor.confirmHint',
    autocomplete: 'one-time-code',
    maxLength: 20,
    attributes: html` inputmode="numeric"`,
  },
})

const removalForm = defineProofForm('codesProof', 'secondFactor.turnOffHint')
const recoveryForm = defineProofForm('recoveryProof', 'secondFactor.renewHint')

/** Registers the signed-in user's second factor: one-time codes, passkeys and recovery codes. */
export function registerSecondFactorRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { db } = ctx
  const { page, submit, action } = defineSubject(app, '/console/account')

  page('/account/second-factor', 'viewer', (request) => renderSettings(request))

  submit(
    '/account/second-factor/codes',
    'viewer',
    setupForm,
    async (request, { codesPassword }) => {
      await confirmPassword(ctx, request, codesPassword)
      return renderSetup(await startCodeSetup(ctx, db, request.session))
    },
    renderSettings,
  )

  submit(
    '/account/second-factor/codes/confirm',
    'viewer',
    codeForm,
    async ({ session }, { code }) => {
      const codes = await confirmCodes(ctx, db, session, code)
      return codes.length === 0
        ? { to: `${PATH}?done=on` }
        : renderRecoveryCodesPage(codes, t('secondFactor.confirmations.on'))
    },
    async (request, state) =>
      state.errors?.code
        ? renderSetup(await getCodeSetup(ctx, db, request.session), state.errors)
        : renderSettings(request, state),
  )

  submit(
    '/account/second-factor/codes/remove',
    'viewer',
    removalForm,
    async (request, { codesProof = '' }) => {
      await confirmProof(ctx, request, codesProof)
      await turnOffCodes(db, request.session)
      return { to: `${PATH}?done=off` }
    },
    renderSettings,
  )

  submit(
    '/account/second-factor/recovery-codes',
    'viewer',
    recoveryForm,
    async (request, { recoveryProof = '' }) => {
      await confirmProof(ctx, request, recoveryProof)
      return renderRecoveryCodesPage(await renewRecoveryCodes(db, request.session.user.id))
    },
    renderSettings,
  )

  submit(
    '/account/second-factor/passkeys',
    'viewer',
    passkeyForm,
    async (request, { passkeyName, passkeyPassword }) => {
      await checkAllAsync(
        () => checkPasskeyName(passkeyName),
        () => confirmPassword(ctx, request, passkeyPassword),
      )
      return renderCreation(await startPasskeySetup(ctx, db, request.session, passkeyName))
    },
    renderSettings,
  )

  action(
    '/account/second-factor/passkeys/add',
    'viewer',
    async ({ body, session }) => {
      const { credential } = readFields(body, ['credential'])
      const codes = await addPasskey(ctx, db, session, credential)
      return codes.length === 0
        ? { to: `${PATH}?done=passkey` }
        : renderRecoveryCodesPage(codes, t('secondFactor.confirmations.passkey'))
    },
    (request, rejection) => {
      if (rejection.code === 'not_found') throw rejection
      return renderSettings(request, { errors: { form: describeLabeledError(rejection) } })
    },
  )

  submit(
    '/account/second-factor/passkeys/:id/remove',
    'viewer',
    (request: ConsoleRequest) => defineRemovalForm(idOf(request)),
    async (request, values) => {
      const id = idOf(request)
      await requirePasskey(db, request.session, id)
      await confirmProof(ctx, request, values[getProofName(id)] ?? '')
      await removePasskey(db, request.session, id)
      return { to: `${PATH}?done=removed` }
    },
    renderSettings,
  )

  async function renderSettings(
    { query, session }: ConsoleRequest,
    state: PageState = {},
  ): Promise<Page> {
    const factor = await getSecondFactor(db, session.user.id)
    const done = findText('secondFactor.confirmations', readFields(query, ['done']).done)
    const hasFactor = factor.codesSince !== null || factor.passkeys.length > 0
    return {
      title: t('secondFactor.title'),
      body: (
        frame,
      ) => html`<p class="eyebrow"><a href="/console/account">${t('secondFactor.account')}</a></p>
<h1>${t('secondFactor.title')}</h1>
<p class="soft">${t('secondFactor.intro', { name: getSiteName() })}${frame.hasProvider ? html` ${t('secondFactor.providerHint')}` : null}</p>
${done ? html`<p class="inset told" role="status">${done}</p>` : null}
${codeForm.renderError(state)}
${renderCodes(frame, factor, state)}
${renderPasskeys(frame, factor.passkeys, { hasPasskeys: hasPasskeys(ctx), state })}
${hasFactor ? renderRecoveryCodes(frame, factor, state) : null}`,
    }
  }
}

/** Renders whether one-time codes are on, and the form that turns them on or off. */
function renderCodes(frame: Frame, { codesSince }: SecondFactor, state: PageState): SafeHtml {
  const renderTitle = (badge: string) =>
    html`${t('secondFactor.codes')} <span class="badge">${badge}</span>`
  if (codesSince === null) {
    return renderPanel('codes', renderTitle(t('secondFactor.off')), [
      html`<p class="soft">${t('secondFactor.codesHint')}</p>`,
      setupForm.render(frame, state, { action: `${PATH}/codes`, button: t('secondFactor.setUp') }),
    ])
  }
  const since = formatMoment(codesSince, frame.timeZone)
  return renderPanel('codes', renderTitle(t('secondFactor.on')), [
    html`<p class="soft">${t('secondFactor.codesSince', { since })}</p>`,
    removalForm.render(frame, state, {
      action: `${PATH}/codes/remove`,
      button: t('secondFactor.turnOff'),
      buttonClass: 'button danger',
    }),
  ])
}

function renderRecoveryCodes(
  frame: Frame,
  { recoveryCodes }: SecondFactor,
  state: PageState,
): SafeHtml {
  return renderPanel('recovery', t('secondFactor.recoveryCodes'), [
    html`<p class="soft">${t('secondFactor.recoveryHint')} ${t('secondFactor.left', { n: recoveryCodes })}</p>`,
    recoveryForm.render(frame, state, {
      action: `${PATH}/recovery-codes`,
      button: t('secondFactor.renew'),
      buttonClass: 'button quiet',
    }),
  ])
}

/** Renders the secret for one-time codes as a QR code and as text, and the form that confirms it. */
function renderSetup({ secret, url }: CodeSetup, errors: PageState['errors'] = {}): Page {
  return {
    title: t('secondFactor.setupTitle'),
    headers: uncompressedHeader,
    body: (frame) => html`<p class="eyebrow"><a href="${PATH}">${t('secondFactor.title')}</a></p>
<h1>${t('secondFactor.setupTitle')}</h1>
${renderUntitledPanel(t('secondFactor.codes'), [
  html`<p>${t('secondFactor.scan')}</p>
<p><img src="data:image/svg+xml;base64,${drawCode(url)}" width="${QR_CODE_SIZE}" height="${QR_CODE_SIZE}" alt="${t('secondFactor.qrCode')}"></p>
<p>${t('secondFactor.key')}: ${renderCopyable({ id: 'secret', text: secret })}</p>`,
  codeForm.render(
    frame,
    { errors },
    {
      action: `${PATH}/codes/confirm`,
      button: t('secondFactor.turnOn'),
      more: html`<a class="button quiet" href="${PATH}">${t('secondFactor.cancel')}</a>`,
    },
  ),
])}`,
  }
}

/** Returns the QR code of a URL as base64-encoded SVG. */
function drawCode(url: string): string {
  const svg = renderSvg({
    matrix: createQrMatrix(url, { ecc: 'medium' }),
    foreground: [0, 0, 0],
    background: [255, 255, 255],
    size: QR_CODE_SIZE,
  })
  return Buffer.from(svg).toString('base64')
}

/**
 * Re-authenticates the signed-in user by password or one-time code. Six digits are a code, because
 * passwords are longer.
 *
 * @throws AppError `invalid_input` naming `currentPassword` or `code`, `sign_in_again`,
 * `rate_limited`, `busy`
 */
async function confirmProof(
  ctx: HttpContext,
  request: FastifyRequest,
  input: string,
): Promise<void> {
  if (!isOneTimeCode(input)) return confirmPassword(ctx, request, input)
  return verifyCode(ctx, ctx.db, request.session.user, { enteredCode: input, address: request.ip })
}

/** Renders a user's new recovery codes. They are not shown again. */
function renderRecoveryCodesPage(codes: readonly string[], done?: string): Page {
  return {
    title: t('secondFactor.newCodesTitle'),
    body: () => html`<p class="eyebrow"><a href="${PATH}">${t('secondFactor.title')}</a></p>
<h1>${t('secondFactor.newCodesTitle')}</h1>
${done ? html`<p class="inset told" role="status">${done}</p>` : null}
${renderUntitledPanel(
  t('secondFactor.recoveryCodes'),
  html`<p>${t('secondFactor.newCodesHint')}</p>
<pre id="codes">${codes.join('\n')}</pre>
<p class="actions"><a class="button" href="${PATH}">${t('secondFactor.done')}</a> ${renderCopyButton('codes', 'button quiet')}</p>`,
)}`,
  }
}
