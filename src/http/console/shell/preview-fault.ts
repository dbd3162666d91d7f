import { html } from '@remix-run/html-template'
import { page } from '../../../pages/layout.ts'

type PreviewFault = {
  nonce: string
  text: string
  /** Whether a required value is still missing, rather than wrong. */
  isMissing?: boolean
}

/** Renders the text shown in place of a preview that is not possible yet. */
export function previewFaultPage({ nonce, text, isMissing = false }: PreviewFault): string {
  return page({
    title: 'Nothing to preview yet',
    nonce,
    body: html`<h1>Nothing to preview yet</h1>
${isMissing ? html`<p class="soft">${text}</p>` : html`<p class="notice" role="alert">${text}</p>`}`,
  })
}
