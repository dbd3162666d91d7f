import { html } from '@remix-run/html-template'
import { renderPlainPage } from '../../shell/plain-page.ts'
import { unsubscribeMessages as messages } from './messages.ts'

/** Renders the page of an unsubscribe link. It posts to its own URL, which contains the token. */
export function renderUnsubscribePage(nonce: string): string {
  return renderPlainPage({
    title: messages.title,
    nonce,
    body: html`<h1>${messages.question}</h1>
<p class="soft">${messages.hint}</p>
<form method="post"><button class="button full">${messages.unsubscribe}</button></form>`,
  })
}

/** Renders the confirmation that the reports are stopped. */
export function renderUnsubscribedPage(nonce: string): string {
  return renderPlainPage({
    title: messages.title,
    nonce,
    body: html`<h1>${messages.done}</h1>
<p class="soft">${messages.doneHint}</p>`,
  })
}
