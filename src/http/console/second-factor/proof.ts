import { html } from '@remix-run/html-template'
import type { FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { isOneTimeCode, verifyCode } from '../../../people/second-factor/one-time-codes.service.ts'
import { type TextKey, t } from '../../../texts.ts'
import { confirmPassword } from '../kit/confirmation.ts'
import { defineForm } from '../kit/form.ts'
import { renderCopyButton, renderUntitledPanel } from '../kit/parts.ts'
import type { Page } from '../kit/subject.ts'

export const PATH = '/console/account/second-factor'

/** Defines a form that asks for a password or a one-time code. */
export function defineProofForm(name: string, hint: TextKey) {
  return defineForm(
    { [name]: { type: 'confirmation', label: 'secondFactor.proof', hint } },
    { fields: { currentPassword: name, code: name } },
  )
}

/**
 * Re-authenticates the signed-in user by password or one-time code. Six digits are a code, because
 * passwords are longer.
 *
 * @throws AppError `invalid_input` naming `currentPassword` or `code`, `sign_in_again`,
 * `rate_limited`, `busy`
 */
export async function confirmProof(
  ctx: HttpContext,
  request: FastifyRequest,
  input: string,
): Promise<void> {
  if (!isOneTimeCode(input)) return confirmPassword(ctx, request, input)
  return verifyCode(ctx, ctx.db, request.session.user, { enteredCode: input, address: request.ip })
}

/** Renders a user's new recovery codes. They are not shown again. */
export function renderRecoveryCodesPage(codes: readonly string[], done?: string): Page {
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
