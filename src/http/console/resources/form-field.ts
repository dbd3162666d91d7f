import { html, type SafeHtml } from '@remix-run/html-template'
import { type Field, field } from '../../../pages/field.ts'
import type { RowsField } from './rows-field.ts'

export type Choice = { value: string; label: string }

/** The definition of a form field: one value or a list of rows. */
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
    /** A checkbox. Its value is `on` or empty. */
    | { type: 'check' }
    /** A color input. Its value has the form `#rrggbb`. */
    | { type: 'color' }
    | ImageField
  )

/** An upload. Its value is the URL of the current image, or empty. */
type ImageField = {
  type: 'image'
  /** The alternative text of the current image. */
  current: string
  /** The label of the checkbox that removes the current image. */
  remove: string
}

/** The current state of a form field. Color inputs and checkboxes are never focused. */
export type FieldState = { value: string; error?: string | undefined; autofocus: boolean }

/** Renders a form field with its value and error. Checkboxes show no error. */
export function renderFormField(spec: SingleField, state: FieldState): SafeHtml {
  const { value, error, autofocus } = state
  if (spec.type === 'choice') return renderChoiceField(spec, spec.choices, state)
  if (spec.type === 'check') {
    return html`<p class="field"><label class="check"><input type="checkbox" name="${spec.name}" value="on"${value ? html` checked` : null}> ${spec.label}</label></p>`
  }
  if (spec.type === 'color') return renderColorField(spec, state)
  if (spec.type === 'image') return renderImageField({ ...spec, image: spec }, state)
  const { type = 'text', ...rest } = spec
  return field({ ...rest, type, value, autofocus, autocomplete: 'off', ...(error && { error }) })
}

function renderChoiceField(
  { name, label, hint }: SingleField,
  choices: readonly Choice[],
  { value, error, autofocus }: FieldState,
): SafeHtml {
  return html`<div class="field">
<label for="${name}">${label}</label>
<select id="${name}" name="${name}"${renderDescribedBy(name, hint, error)}${autofocus ? html` autofocus` : null}>${choices.map(
    (choice) =>
      html`<option value="${choice.value}"${choice.value === value ? html` selected` : null}>${choice.label}</option>`,
  )}</select>
${renderNotes(name, hint, error)}
</div>`
}

function renderColorField(
  { name, label, hint }: SingleField,
  { value, error }: FieldState,
): SafeHtml {
  return html`<div class="field">
<label for="${name}">${label}</label>
<input type="color" id="${name}" name="${name}" value="${value}"${renderDescribedBy(name, hint, error)}>
${renderNotes(name, hint, error)}
</div>`
}

function renderImageField(
  { name, label, hint, image }: SingleField & { image: ImageField },
  { value, error, autofocus }: FieldState,
): SafeHtml {
  return html`<div class="field">
<label for="${name}">${label}</label>
${value ? html`<img class="current-image" src="${value}" alt="${image.current}">` : null}
<input type="file" id="${name}" name="${name}" accept="image/png,image/jpeg"${renderDescribedBy(name, hint, error)}${autofocus ? html` autofocus` : null}>
${renderNotes(name, hint, error)}
${value ? html`<label class="check"><input type="checkbox" name="remove-${name}" value="on"> ${image.remove}</label>` : null}
</div>`
}

function renderDescribedBy(name: string, hint?: string, error?: string): SafeHtml {
  const ids = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return html`${ids ? html` aria-describedby="${ids}"` : null}${error ? html` aria-invalid="true"` : null}`
}

function renderNotes(name: string, hint?: string, error?: string): SafeHtml {
  return html`${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : null}
${error ? html`<p class="error" id="${name}-error" role="alert">${error}</p>` : null}`
}
