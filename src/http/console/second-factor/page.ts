import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { PATH, renderPasswordField, renderProofField } from './fields.ts'
import { type PasskeysPanel, renderPasskeysPanel } from './passkeys-panel.ts'

export type SecondFactorPage = PasskeysPanel & {
  /** When one-time codes were turned on, or null. */
  codesSince: string | null
  /** The number of unused recovery codes. */
  recoveryCodes: number
  /** The confirmation of the last action. */
  done?: string | undefined
}

/** Renders the signed-in user's second factor with its forms. */
export function renderSecondFactorPage(frame: Frame, page: SecondFactorPage): string {
  const { done, fieldError, codesSince, passkeys } = page
  const hasFactor = codesSince !== null || passkeys.length > 0
  return renderConsolePage(frame, {
    title: t('secondFactor.title'),
    section: '/console/account',
    body: html`<p class="eyebrow"><a href="/console/account">${t('secondFactor.account')}</a></p>
<h1>${t('secondFactor.title')}</h1>
<p class="soft">${t('secondFactor.intro')}${frame.hasProvider ? html` ${t('secondFactor.providerHint')}` : null}</p>
${done ? html`<p class="inset told" role="status">${done}</p>` : null}
${fieldError?.field === 'form' ? html`<p class="notice" role="alert">${fieldError.text}</p>` : null}
${codesSince === null ? renderDisabledCodes(frame, page) : renderEnabledCodes(frame, page, codesSince)}
${renderPasskeysPanel(frame, page)}
${hasFactor ? renderRecoveryCodes(frame, page) : null}`,
  })
}

function renderDisabledCodes(frame: Frame, { fieldError }: SecondFactorPage): SafeHtml {
  return html`<section class="panel" aria-labelledby="codes">
<h2 id="codes">${t('secondFactor.codes')} <span class="badge">${t('secondFactor.off')}</span></h2>
<p class="soft">${t('secondFactor.codesHint')}</p>
<form method="post" action="${PATH}/codes">${csrfField(frame.csrf)}
${renderPasswordField(frame, fieldError, 'codesPassword')}
<p class="actions"><button class="button">${t('secondFactor.setUp')}</button></p>
</form>
</section>`
}

function renderEnabledCodes(
  frame: Frame,
  { fieldError }: SecondFactorPage,
  since: string,
): SafeHtml {
  return html`<section class="panel" aria-labelledby="codes">
<h2 id="codes">${t('secondFactor.codes')} <span class="badge">${t('secondFactor.on')}</span></h2>
<p class="soft">${t('secondFactor.codesSince', { since })}</p>
<form method="post" action="${PATH}/codes/remove">${csrfField(frame.csrf)}
${renderProofField(frame, fieldError, { name: 'codesProof', hint: t('secondFactor.turnOffHint') })}
<p class="actions"><button class="button danger">${t('secondFactor.turnOff')}</button></p>
</form>
</section>`
}

function renderRecoveryCodes(
  frame: Frame,
  { fieldError, recoveryCodes }: SecondFactorPage,
): SafeHtml {
  return html`<section class="panel" aria-labelledby="recovery">
<h2 id="recovery">${t('secondFactor.recoveryCodes')}</h2>
<p class="soft">${t('secondFactor.recoveryHint')} ${t('secondFactor.left', { n: recoveryCodes })}</p>
<form method="post" action="${PATH}/recovery-codes">${csrfField(frame.csrf)}
${renderProofField(frame, fieldError, { name: 'recoveryProof', hint: t('secondFactor.renewHint') })}
<p class="actions"><button class="button quiet">${t('secondFactor.renew')}</button></p>
</form>
</section>`
}
