import { html } from '@remix-run/html-template'
import { page } from '../layout.ts'

/** What stands in the frame of a preview that there cannot be yet. */
export function previewFaultPage({ nonce, text }: { nonce: string; text: string }): string {
  return page({
    title: 'No preview yet',
    nonce,
    body: html`<h1>No preview yet</h1>
<p class="notice" role="alert">${text}</p>`,
  })
}
