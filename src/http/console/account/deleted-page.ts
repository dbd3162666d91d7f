import { html } from '@remix-run/html-template'
import { page } from '../../../pages/layout.ts'

/** Renders the page that confirms the deletion of an account. */
export function deletedPage({ nonce }: { nonce: string }): string {
  return page({
    title: 'Account deleted',
    nonce,
    body: html`<h1>Your account is deleted</h1>
<p class="soft">Your links no longer work. Remaining data is deleted within minutes.</p>
<p class="actions"><a class="button quiet" href="/">Go to the home page</a></p>`,
  })
}
