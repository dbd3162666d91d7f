import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { csrfField } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import { readSessionToken } from '../../html/session-cookie.ts'
import { confirmPassword, renderConfirmationField } from '../kit/confirmation.ts'
import type { Frame } from '../shell/layout.ts'
import { readFields, sendSignedOutPage } from '../shell/send.ts'
import { renderContinuePage } from './continue-page.ts'
import { setPendingSignIn } from './pending-sign-in.ts'
import { hashSessionToken } from './session-hash.ts'

/** The identity provider on the settings page. `error` is the error of the password. */
export type ProviderView = { name: string; isConnected: boolean; error?: string | undefined }

/**
 * Renders the panel of the identity provider: a note that it is connected, or the form that connects
 * it, which requires the password.
 */
export function renderProviderPanel(
  frame: Frame,
  { name, isConnected, error }: ProviderView,
): SafeHtml {
  return html`<section class="panel" aria-labelledby="provider">
<h2 id="provider">${t('oidc.connect.title')}</h2>
${
  isConnected
    ? html`<p>${t('oidc.connect.connected', { name })}</p>`
    : html`<p class="soft">${t('oidc.connect.text', { name })}</p>
<form method="post" action="/console/settings/connect">${csrfField(frame.csrf)}
${renderConfirmationField(frame, { name: 'currentPassword', label: t('oidc.connect.password'), error })}
<p class="actions"><button class="button quiet">${t('oidc.connect.button', { name })}</button></p>
</form>`
}
</section>`
}

/**
 * Re-authenticates the signed-in user and sends the browser to the provider. The callback connects
 * the identity from there to the user.
 *
 * @throws AppError `not_found` without a provider, `provider_unavailable`, or an error of
 * `confirmPassword`
 */
export async function startConnection(
  ctx: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { config, provider } = ctx
  if (!provider) throw new AppError('not_found')
  const { currentPassword } = readFields(request.body, ['currentPassword'])
  await confirmPassword(ctx, request, currentPassword)
  const { url, secrets } = await provider.start()
  const sessionHash = hashSessionToken(readSessionToken(config, request) ?? '')
  setPendingSignIn(config, reply, { ...secrets, sessionHash })
  return sendSignedOutPage(reply, (nonce) =>
    renderContinuePage({ nonce, name: provider.name, url }),
  )
}
