import { html } from '@remix-run/html-template'
import { page } from '../../../pages/layout.ts'

type PreviewFault = {
  nonce: string
  text: string
  /** Whether nothing is wrong but that something is still missing. */
  isMissing?: boolean
}

/** What stands in the frame of a preview that there cannot be yet. */
export function previewFaultPage({ nonce, text, isMissing = false }: PreviewFault): string {
  return page({
    title: 'Nothing to preview yet',
    nonce,
    body: html`<h1>Nothing to preview yet</h1>
${isMissing ? html`<p class="soft">${text}</p>` : html`<p class="notice" role="alert">${text}</p>`}`,
  })
}
