import { html, type SafeHtml } from '@remix-run/html-template'
import { field } from '../../../../pages/field.ts'
import { t, tAll } from '../../../../texts.ts'
import { UTM_NAMES } from '../../../../utm/utm.ts'
import { getFieldText } from '../field-texts.ts'
import { type FilledForm, findErrorText } from '../form.ts'
import { renderOptionTag, renderRowsField } from '../rows.ts'
import { splitUtm } from './rows.ts'

/**
 * Renders the UTM parameters with the account's templates, and the other parameters of the
 * destination.
 */
export function renderParametersPanel(filled: FilledForm): SafeHtml {
  const { form, templateName = '' } = filled
  const { utm, others } = splitUtm(form.rows.parameter ?? [])
  const nameError = findErrorText(filled, 'utm-name')
  return html`<p class="hint">${t('utm.hint')}</p>
${renderTemplateChoice(filled)}
<div class="columns">${UTM_NAMES.map((name) => {
    const error = findErrorText(filled, name)
    return field({
      name,
      ...tAll(`utm.fields.${name}`),
      optional: true,
      autocomplete: 'off',
      value: utm[name] ?? '',
      ...(error && { error }),
      ...((error || filled.focus === name) && { autofocus: true }),
      attributes: html` spellcheck="false"`,
    })
  })}</div>
<div class="utm-save">
${field({
  name: 'utm-name',
  label: t('utm.name'),
  optional: true,
  autocomplete: 'off',
  value: templateName,
  ...(nameError && { error: nameError, autofocus: true }),
})}
<button class="button quiet small" name="more" value="utm:save" formnovalidate>${t('utm.save')}</button>
<p class="hint" role="status">${filled.template ?? null}</p>
</div>
${renderRowsField({ ...filled, form: { ...form, rows: { ...form.rows, parameter: others } } }, 'parameter', getFieldText('parameters'))}`
}

function renderTemplateChoice({ choices, templateId }: FilledForm): SafeHtml | null {
  const { templates } = choices
  if (templates.length === 0) return null
  return html`<p class="utm-templates"><select name="utm-template" aria-label="${t('utm.template')}">${templates.map(
    ({ id, name }) => renderOptionTag({ value: String(id), label: name }, String(templateId ?? '')),
  )}</select>
<button class="button quiet small" name="more" value="utm:apply" formnovalidate>${t('utm.apply')}</button>
<button class="button quiet small" name="more" value="utm:delete" formnovalidate>${t('utm.delete')}</button></p>`
}
