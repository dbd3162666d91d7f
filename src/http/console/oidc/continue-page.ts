import { html } from '@remix-run/html-template'
import { renderPlainPage } from '../shell/plain-page.ts'
import { oidcMessages } from './messages.ts'

/**
 * Renders a page that continues to the provider immediately. A reply to a form cannot redirect
 * there, because the policy allows forms only to this site.
 */
export function renderContinuePage({
  nonce,
  name,
  url,
}: {
  nonce: string
  name: string
  url: string
}) {
  const title = oidcMessages.going(name)
  return renderPlainPage({
    title,
    nonce,
    head: html`<meta http-equiv="refresh" content="0; url=${url}">`,
    body: html`<h1>${title}</h1>
<p class="soft">${oidcMessages.goingText}</p>
<p class="actions"><a class="button" href="${url}">${oidcMessages.continueWith(name)}</a></p>`,
  })
}
