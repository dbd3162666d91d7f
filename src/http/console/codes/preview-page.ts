import { html } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { renderPlainPage } from '../shell/plain-page.ts'
import { type CodeContent, renderCodeContent } from './parts.ts'

export type CodePreview = {
  nonce: string
  /** The image as base64-encoded SVG. */
  picture: string
  /** The contrast ratio of its colors, from 1 to 21. */
  contrast: number
  content: CodeContent
  /** Notes to consider before saving. */
  notes: readonly string[]
}

/** Below this contrast, some phones cannot read a code. */
const GOOD_CONTRAST = 4.5

/** Renders a preview of a code: its image, the rating of its contrast, notes, and its content. */
export function renderCodePreviewPage({
  nonce,
  picture,
  contrast,
  content,
  notes,
}: CodePreview): string {
  const isWeak = contrast < GOOD_CONTRAST
  return renderPlainPage({
    title: t('code.preview.title'),
    nonce,
    body: html`<h1 class="hidden-text">${t('code.preview.title')}</h1>
<img class="picture" src="data:image/svg+xml;base64,${picture}" width="240" alt="${t('code.preview.alt')}">
<p class="${isWeak ? 'notice' : 'small soft center'}"${isWeak ? html` role="alert"` : null}>${isWeak ? t('code.preview.weak') : t('code.preview.good')}</p>
${notes.map((note) => html`<p class="small soft">${note}</p>`)}
<section class="inset">
<h2>${t('code.whenScanned')}</h2>
${renderCodeContent(content)}
</section>`,
  })
}
