import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { t } from '../../../texts.ts'
import { renderScripts } from '../assets.ts'
import { renderPlainPage } from '../shell/plain-page.ts'
import { renderPasskeyForm } from './passkey-form.ts'

export type VerifyPage = {
  nonce: string
  csrf: string
  /** The user's email, or undefined until a passkey identifies the user. */
  email?: string | undefined
  /** Whether the user has one-time codes. */
  hasCodes: boolean
  /** The passkey options, if the user has a passkey. */
  passkey?: object | undefined
  /** The console path to continue to. */
  next?: string | undefined
  errors?: { code?: string; credential?: string; form?: string }
}

const ACTION = '/console/sign-in/verify'

/** Renders the second step of signing in, or a sign-in with a passkey only. */
export function renderVerifyPage(view: VerifyPage): string {
  const { nonce, email, hasCodes, passkey, errors = {} } = view
  const title = hasCodes ? t('secondFactor.verifyTitle') : t('secondFactor.passkeyTitle')
  const body = html`<h1>${title}</h1>
${email ? html`<p class="soft">${t('secondFactor.signingIn', { email })}</p>` : null}
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
${hasCodes ? renderCodeForm(view) : null}
${passkey ? renderPasskeySignIn(view, passkey) : null}
${email && !hasCodes ? html`<details${errors.code ? html` open` : null}><summary>${t('secondFactor.recoveryCode')}</summary>${renderCodeForm(view)}</details>` : null}
<p class="small soft"><a href="/console/sign-in">${t('secondFactor.otherUser')}</a></p>`
  return renderPlainPage({
    title,
    nonce,
    head: renderScripts(nonce, body),
    body,
  })
}

function renderCodeForm({ csrf, next, hasCodes, errors }: VerifyPage): SafeHtml {
  return html`<form method="post" action="${ACTION}">
${csrfField(csrf)}
${next ? html`<input type="hidden" name="next" value="${next}">` : null}
${field({
  name: 'code',
  label: hasCodes ? t('secondFactor.code') : t('secondFactor.recoveryCode'),
  autocomplete: 'one-time-code',
  maxLength: 40,
  ...(hasCodes && { hint: t('secondFactor.verifyHint') }),
  ...(errors?.code && { error: errors.code }),
  autofocus: hasCodes || errors?.code !== undefined,
})}
<button class="button full">${t('secondFactor.verify')}</button>
</form>`
}

function renderPasskeySignIn({ csrf, next, errors }: VerifyPage, options: object): SafeHtml {
  return renderPasskeyForm({
    kind: 'request',
    options,
    csrf,
    next,
    action: `${ACTION}/passkey`,
    button: t('secondFactor.passkeyButton'),
    error: errors?.credential,
  })
}

/** Renders the page of a second step whose first step has expired. */
export function renderSignInExpiredPage({ nonce }: { nonce: string }): string {
  return renderPlainPage({
    title: t('secondFactor.expiredTitle'),
    nonce,
    body: html`<h1>${t('secondFactor.expiredTitle')}</h1>
<p class="soft">${t('secondFactor.expired')}</p>
<p class="actions"><a class="button" href="/console/sign-in">${t('secondFactor.signIn')}</a></p>`,
  })
}
