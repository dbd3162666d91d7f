import { html } from '@remix-run/html-template'
import { page } from '../../../pages/layout.ts'
import { getLanguage, t } from '../../../texts.ts'

type PreviewError = {
  nonce: string
  text: string
  /** Whether a required value is still missing, rather than wrong. */
  isMissing?: boolean
}

/** Renders the page shown while a preview is not possible, with the reason. */
export function renderPreviewErrorPage({ nonce, text, isMissing = false }: PreviewError): string {
  const title = t('shell.preview.nothing')
  return page({
    language: getLanguage(),
    title,
    nonce,
    body: html`<h1>${title}</h1>
${isMissing ? html`<p class="soft">${text}</p>` : html`<p class="notice" role="alert">${text}</p>`}`,
  })
}
