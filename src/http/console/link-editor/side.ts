import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { renderImageUpload, renderLinkCard } from './card.ts'
import { type FilledForm, getInputText } from './form.ts'
import { renderSectionFields } from './section.ts'

/**
 * Renders the sticky column beside the form: the QR code of the short link and the share preview.
 */
export function renderSideColumn(filled: FilledForm): SafeHtml {
  const alias = getInputText(filled.form, 'alias').trim()
  const domain = getInputText(filled.form, 'domain')
  const query = new URLSearchParams({ ...(alias && { alias }), ...(domain && { domain }) })
  const isWrong = ['alias', 'domain'].includes(filled.fieldError?.field ?? '')
  return html`<aside class="side" aria-label="${t('linkForm.sections.preview')}">
<section class="panel code-preview" aria-labelledby="code-title">
<h2 id="code-title">${t('linkForm.code.title')}</h2>
<img src="/console/links/code.svg${isWrong || query.size === 0 ? '' : `?${query}`}" width="160" height="160" alt="${t('linkForm.code.picture')}" data-code="/console/links/code.svg">
<p class="small soft" data-code-note${alias ? html` hidden` : null}>${t('linkForm.code.note')}</p>
</section>
<section class="panel" aria-labelledby="card-title">
<h2 id="card-title">${t('linkForm.card.title')}</h2>
${renderLinkCard(filled)}
${renderSectionFields(filled, 'card')}
${renderImageUpload(filled)}
</section>
</aside>`
}
