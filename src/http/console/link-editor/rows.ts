import { html, type SafeHtml } from '@remix-run/html-template'
import type { FieldText } from './field-texts.ts'
import { type Choice, type FilledForm, type FormRow, findErrorText } from './form.ts'

/** The number of empty rows at the end of a list. */
const EMPTY_ROWS = 1
const EXTRA_ROWS = 4

/** Renders a list with a row of two inputs per entry and empty rows. */
export function renderRowsField(filled: FilledForm, list: string, text: FieldText): SafeHtml {
  const { label: legend, hint, row: { add } = { add: '' } } = text
  const entries = filled.form.rows[list] ?? []
  const isRequested = filled.more === list
  const spare = Array.from({ length: isRequested ? EXTRA_ROWS : EMPTY_ROWS }, () => ({
    name: '',
    value: '',
  }))
  const error = findErrorText(filled, list)
  return html`<fieldset id="${list}" tabindex="-1" aria-describedby="${list}-hint"${error ? html` autofocus` : null}>
<legend>${legend}</legend>
<p class="hint" id="${list}-hint">${hint}</p>
${error ? html`<p class="error" role="alert">${error}</p>` : null}
<div class="pairs" data-rows>${[...entries, ...spare].map((row, index) =>
    renderRow(filled, list, text, row, { index, focus: isRequested && index === entries.length }),
  )}</div>
<p><button class="button quiet small" name="more" value="${list}" formnovalidate data-more>${add}<span class="hidden-text">: ${legend}</span></button></p>
</fieldset>`
}

const NO_ROW_TEXTS = { add: '', labels: { name: '', value: '' }, examples: { name: '', value: '' } }

function renderRow(
  filled: FilledForm,
  list: string,
  { row: { labels, examples } = NO_ROW_TEXTS }: FieldText,
  { name, value }: FormRow,
  { index, focus }: { index: number; focus: boolean },
): SafeHtml {
  const prefix = `${list}-${index}`
  const renderAttributes = (part: 'name' | 'value', label: string) => {
    const id = `${prefix}-${part}`
    const error = findErrorText(filled, id)
    return html`id="${id}" name="${list}-${part}" aria-label="${label} ${index + 1}" autocomplete="off"${[
      error ? html` aria-invalid="true" aria-describedby="${id}-error"` : null,
      error || (focus && part === 'name') ? html` autofocus` : null,
    ]}`
  }
  return html`<div class="pair">
<input type="text" value="${name}" placeholder="${examples.name}" spellcheck="false" ${renderAttributes('name', labels.name)}>
<input type="text" value="${value}" placeholder="${examples.value}" spellcheck="false" ${renderAttributes('value', labels.value)}>
${renderErrorLine(filled, `${prefix}-name`)}${renderErrorLine(filled, `${prefix}-value`)}
</div>`
}

function renderErrorLine(filled: FilledForm, id: string): SafeHtml | null {
  const error = findErrorText(filled, id)
  return error ? html`<p class="error" id="${id}-error" role="alert">${error}</p>` : null
}

/** Renders an option, selected if it is the current value. */
export function renderOptionTag({ value, label }: Choice, chosen: string): SafeHtml {
  return html`<option value="${value}"${value === chosen ? html` selected` : null}>${label}</option>`
}
