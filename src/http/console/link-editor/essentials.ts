import { html, type SafeHtml } from '@remix-run/html-template'
import { hostText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { getFieldText } from './field-texts.ts'
import { type FilledForm, findErrorText, getInputText } from './form.ts'
import { renderFormField } from './inputs.ts'
import { renderOptionTag } from './rows.ts'

/** Renders the destination, the short link and the tags. `linkId` is set for an existing link. */
export function renderEssentials(filled: FilledForm, linkId: number | undefined): SafeHtml {
  const { form, fieldError, more } = filled
  const isFresh = !fieldError && !more
  const hasUrl = getInputText(form, 'url') !== ''
  return html`<section class="panel" aria-label="${t('linkForm.sections.link')}">
<div class="destination">
${renderFormField(filled, 'url', {
  label: getFieldText('url').label,
  optional: false,
  attributes: html` inputmode="url" spellcheck="false" dir="ltr"${isFresh && !hasUrl ? html` autofocus` : null}`,
})}
<button class="button quiet small" name="more" value="title" formnovalidate data-title="/console/links/title">${t('linkForm.fetchTitle')}</button>
<p class="hint" data-title-answer role="status">${filled.fetched ?? null}</p>
</div>
<div class="short-link" data-free="/console/links/free"${linkId ? html` data-id="${linkId}"` : null}>
${renderDomainField(filled)}
${renderFormField(filled, 'alias', {
  label: t('linkForm.alias.label'),
  optional: linkId === undefined,
  hint: linkId === undefined ? t('linkForm.alias.hint') : t('linkForm.alias.warning'),
  attributes: html` autocapitalize="none" spellcheck="false"${isFresh && !linkId && hasUrl ? html` autofocus` : null}`,
})}
<p class="hint" data-answer role="status"></p>
</div>
<div data-chips data-remove="${t('linkForm.tags.remove')}">
${renderFormField(filled, 'tags', {
  label: t('linkForm.tags.label'),
  hint: t('linkForm.tags.hint'),
  attributes: html` list="known-tags"`,
})}
</div>
<datalist id="known-tags">${filled.choices.tags.map((name) => html`<option value="${name}">`)}</datalist>
</section>`
}

/** Renders the domain as the prefix of the short link: a selection if the account has domains. */
function renderDomainField(filled: FilledForm): SafeHtml {
  const { domains, host } = filled.choices
  const domain = getInputText(filled.form, 'domain')
  const error = findErrorText(filled, 'domain')
  if (domains.length === 0 && domain === '' && !error) {
    return html`<p class="prefix" aria-hidden="true" dir="ltr">${hostText(host)}/</p>`
  }
  const all = domain === '' || domains.includes(domain) ? domains : [...domains, domain]
  return html`<div class="field">
<label for="domain">${t('linkForm.domain')}</label>
<select id="domain" name="domain"${error ? html` aria-describedby="domain-error" aria-invalid="true" autofocus` : null}>${renderOptionTag({ value: '', label: `${hostText(host)}/` }, domain)}${all.map((name) => renderOptionTag({ value: name, label: `${hostText(name)}/` }, domain))}</select>
${error ? html`<p class="error" id="domain-error" role="alert">${error}</p>` : null}
</div>`
}
