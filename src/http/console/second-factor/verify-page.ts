import { html } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { page } from '../../../pages/layout.ts'
import { secondFactorMessages as texts } from './messages.ts'

export type VerifyPage = {
  nonce: string
  csrf: string
  email: string
  /** Where to go then, a path of the console. */
  next?: string | undefined
  errors?: { code?: string; form?: string }
}

/** The second step of signing in; posts `csrf`, `next` and `code`. */
export function verifyPage({ nonce, csrf, email, next, errors = {} }: VerifyPage): string {
  return page({
    title: `${texts.verifyTitle} – Brevis`,
    nonce,
    body: html`<h1>${texts.verifyTitle}</h1>
<p class="soft">${texts.signingIn(email)}</p>
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
<form method="post" action="/console/sign-in/verify">
${csrfField(csrf)}
${next ? html`<input type="hidden" name="next" value="${next}">` : null}
${field({
  name: 'code',
  label: texts.code,
  autocomplete: 'one-time-code',
  maxLength: 40,
  hint: texts.verifyHint,
  ...(errors.code && { error: errors.code }),
  autofocus: true,
})}
<button class="button full">${texts.verify}</button>
</form>
<p class="small soft"><a href="/console/sign-in">${texts.otherUser}</a></p>`,
  })
}

/** The page of a second step without a first one. */
export function signInExpiredPage({ nonce }: { nonce: string }): string {
  return page({
    title: `${texts.expiredTitle} – Brevis`,
    nonce,
    body: html`<h1>${texts.expiredTitle}</h1>
<p class="soft">${texts.expired}</p>
<p class="actions"><a class="button" href="/console/sign-in">${texts.signIn}</a></p>`,
  })
}
