import { html } from '@remix-run/html-template'
import { renderPlainPage } from '../shell/plain-page.ts'
import { accountMessages } from './messages.ts'

/** Renders the page shown after the deletion of an account. */
export function renderDeletedPage({ nonce }: { nonce: string }): string {
  const { title, heading, text, home } = accountMessages.deleted
  return renderPlainPage({
    title,
    nonce,
    body: html`<h1>${heading}</h1>
<p class="soft">${text}</p>
<p class="actions"><a class="button quiet" href="/">${home}</a></p>`,
  })
}
