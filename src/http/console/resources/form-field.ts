import { html, type SafeHtml } from '@remix-run/html-template'
import { type Field, field } from '../../../pages/field.ts'
import type { RowsField } from './rows-field.ts'

export type Choice = { value: string; label: string }

/** The definition of a form field. */
export type FormField = SingleField | RowsField

/** A field with one text value. */
export type SingleField = Pick<
  Field,
  'name' | 'label' | 'hint' | 'maxLength' | 'optional' | 'attributes'
> &
  (
    | { type?: 'text' | 'multiline' }
    /** A selection of one choice. */
    | { type: 'choice'; choices: readonly Choice[] }
    /** A checkbox: `on` or empty. */
    | { type: 'check' }
  )

export type Filled = { value: string; error?: string | undefined; autofocus: boolean }

/** Renders a form field with its value and error. */
export function formField(spec: SingleField, { value, error, autofocus }: Filled): SafeHtml {
  if (spec.type === 'choice') return choiceField(spec, spec.choices, { value, error, autofocus })
  if (spec.type === 'check') {
    return html`<p class="field"><label class="check"><input type="checkbox" name="${spec.name}" value="on"${value ? html` checked` : null}> ${spec.label}</label></p>`
  }
  const { type = 'text', ...rest } = spec
  return field({ ...rest, type, value, autofocus, autocomplete: 'off', ...(error && { error }) })
}

function choiceField(
  { name, label, hint }: SingleField,
  choices: readonly Choice[],
  { value, error, autofocus }: Filled,
): SafeHtml {
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return html`<div class="field">
<label for="${name}">${label}</label>
<select id="${name}" name="${name}"${described ? html` aria-describedby="${described}"` : null}${error ? html` aria-invalid="true"` : null}${autofocus ? html` autofocus` : null}>${choices.map(
    (choice) =>
      html`<option value="${choice.value}"${choice.value === value ? html` selected` : null}>${choice.label}</option>`,
  )}</select>
${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : null}
${error ? html`<p class="error" id="${name}-error" role="alert">${error}</p>` : null}
</div>`
}
