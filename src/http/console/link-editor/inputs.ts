import { html, type SafeHtml } from '@remix-run/html-template'
import { type Field, field } from '../../../pages/field.ts'
import { type FilledForm, findErrorText, getInputText } from './form.ts'

/** Renders a field with its value and error. */
export function renderFormField(
  filled: FilledForm,
  name: string,
  options: Omit<Field, 'name' | 'value' | 'error' | 'autofocus' | 'autocomplete'>,
): SafeHtml {
  const error = findErrorText(filled, name)
  return field({
    name,
    optional: true,
    autocomplete: 'off',
    value: getInputText(filled.form, name),
    ...(error && { error }),
    ...((error || filled.focus === name) && { autofocus: true }),
    ...options,
  })
}

/** Renders a checkbox. */
export function renderCheckboxField(
  filled: FilledForm,
  name: string,
  { label, hint }: { label: string; hint?: string },
): SafeHtml {
  const error = findErrorText(filled, name)
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return html`<div class="field">
<label class="check"><input type="checkbox" id="${name}" name="${name}" value="yes"${getInputText(filled.form, name) === 'yes' ? html` checked` : null}${described ? html` aria-describedby="${described}"` : null}${error ? html` aria-invalid="true" autofocus` : null}> ${label}</label>
${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : null}
${error ? html`<p class="error" id="${name}-error" role="alert">${error}</p>` : null}
</div>`
}

/** Renders a selection with its label, hint and error. */
export function renderSelectField(
  filled: FilledForm,
  name: string,
  { label, hint, options }: { label: string; hint?: string; options: SafeHtml },
): SafeHtml {
  const error = findErrorText(filled, name)
  const described = [hint && `${name}-hint`, error && `${name}-error`].filter(Boolean).join(' ')
  return html`<div class="field">
<label for="${name}">${label}</label>
<select id="${name}" name="${name}"${described ? html` aria-describedby="${described}"` : null}${error ? html` aria-invalid="true" autofocus` : null}>${options}</select>
${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : null}
${error ? html`<p class="error" id="${name}-error" role="alert">${error}</p>` : null}
</div>`
}
