import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { PATH, renderPasswordField, renderProofField } from './fields.ts'
import { secondFactorMessages as texts } from './messages.ts'
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
    title: texts.title,
    section: '/console/account',
    body: html`<p class="eyebrow"><a href="/console/account">${texts.account}</a></p>
<h1>${texts.title}</h1>
<p class="soft">${texts.intro}${frame.hasProvider ? html` ${texts.providerHint}` : null}</p>
${done ? html`<p class="inset told" role="status">${done}</p>` : null}
${fieldError?.field === 'form' ? html`<p class="notice" role="alert">${fieldError.text}</p>` : null}
${codesSince === null ? renderDisabledCodes(frame, page) : renderEnabledCodes(frame, page, codesSince)}
${renderPasskeysPanel(frame, page)}
${hasFactor ? renderRecoveryCodes(frame, page) : null}`,
  })
}

function renderDisabledCodes(frame: Frame, { fieldError }: SecondFactorPage): SafeHtml {
  return html`<section class="panel" aria-labelledby="codes">
<h2 id="codes">${texts.codes} <span class="badge">${texts.off}</span></h2>
<p class="soft">${texts.codesHint}</p>
<form method="post" action="${PATH}/codes">${csrfField(frame.csrf)}
${renderPasswordField(frame, fieldError, 'codesPassword')}
<p class="actions"><button class="button">${texts.setUp}</button></p>
</form>
</section>`
}

function renderEnabledCodes(
  frame: Frame,
  { fieldError }: SecondFactorPage,
  since: string,
): SafeHtml {
  return html`<section class="panel" aria-labelledby="codes">
<h2 id="codes">${texts.codes} <span class="badge">${texts.on}</span></h2>
<p class="soft">${texts.codesSince(since)}</p>
<form method="post" action="${PATH}/codes/remove">${csrfField(frame.csrf)}
${renderProofField(frame, fieldError, { name: 'codesProof', hint: texts.turnOffHint })}
<p class="actions"><button class="button danger">${texts.turnOff}</button></p>
</form>
</section>`
}

function renderRecoveryCodes(
  frame: Frame,
  { fieldError, recoveryCodes }: SecondFactorPage,
): SafeHtml {
  return html`<section class="panel" aria-labelledby="recovery">
<h2 id="recovery">${texts.recoveryCodes}</h2>
<p class="soft">${texts.recoveryHint} ${texts.left(recoveryCodes)}</p>
<form method="post" action="${PATH}/recovery-codes">${csrfField(frame.csrf)}
${renderProofField(frame, fieldError, { name: 'recoveryProof', hint: texts.renewHint })}
<p class="actions"><button class="button quiet">${texts.renew}</button></p>
</form>
</section>`
}
