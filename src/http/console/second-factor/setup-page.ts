import { html } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import type { CodeSetup } from '../../../people/second-factor/one-time-codes.service.ts'
import { createQrMatrix } from '../../../qr/drawing/matrix.ts'
import { renderSvg } from '../../../qr/drawing/render-svg.ts'
import { t } from '../../../texts.ts'
import { renderCopyable } from '../kit/parts.ts'
import { type FieldError, renderField } from '../shell/field-error.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { PATH } from './fields.ts'

/** The width and height of the QR code in pixels. */
const SIZE = 240

/** Renders the secret for one-time codes as a QR code and as text, and the form that confirms it. */
export function renderSetupPage(
  frame: Frame,
  { secret, url }: CodeSetup,
  fieldError?: FieldError,
): string {
  return renderConsolePage(frame, {
    title: t('secondFactor.setupTitle'),
    section: '/console/account',
    body: html`<p class="eyebrow"><a href="${PATH}">${t('secondFactor.title')}</a></p>
<h1>${t('secondFactor.setupTitle')}</h1>
<section class="panel" aria-label="${t('secondFactor.codes')}">
<p>${t('secondFactor.scan')}</p>
<p><img src="data:image/svg+xml;base64,${drawCode(url)}" width="${SIZE}" height="${SIZE}" alt="${t('secondFactor.qrCode')}"></p>
<p>${t('secondFactor.key')}: ${renderCopyable({ id: 'secret', text: secret })}</p>
<form method="post" action="${PATH}/codes/confirm">${csrfField(frame.csrf)}
${renderField(fieldError, {
  name: 'code',
  label: t('secondFactor.code'),
  autocomplete: 'one-time-code',
  hint: t('secondFactor.confirmHint'),
  maxLength: 20,
  attributes: html` inputmode="numeric"`,
})}
<p class="actions"><button class="button">${t('secondFactor.turnOn')}</button> <a class="button quiet" href="${PATH}">${t('secondFactor.cancel')}</a></p>
</form>
</section>`,
  })
}

/** Renders a user's new recovery codes. They are not shown again. */
export function renderRecoveryCodesPage(
  frame: Frame,
  codes: readonly string[],
  done?: string,
): string {
  return renderConsolePage(frame, {
    title: t('secondFactor.newCodesTitle'),
    section: '/console/account',
    body: html`<p class="eyebrow"><a href="${PATH}">${t('secondFactor.title')}</a></p>
<h1>${t('secondFactor.newCodesTitle')}</h1>
${done ? html`<p class="inset told" role="status">${done}</p>` : null}
<section class="panel" aria-label="${t('secondFactor.recoveryCodes')}">
<p>${t('secondFactor.newCodesHint')}</p>
<pre id="codes">${codes.join('\n')}</pre>
<p class="actions"><a class="button" href="${PATH}">${t('secondFactor.done')}</a> <button class="button quiet" type="button" data-copy="codes" aria-describedby="codes">${t('secondFactor.copy')}</button></p>
</section>`,
  })
}

/** Returns the QR code of a URL as base64-encoded SVG. */
function drawCode(url: string): string {
  const svg = renderSvg({
    matrix: createQrMatrix(url, { ecc: 'medium' }),
    foreground: [0, 0, 0],
    background: [255, 255, 255],
    size: SIZE,
  })
  return Buffer.from(svg).toString('base64')
}
