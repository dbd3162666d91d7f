import { html, type SafeHtml } from '@remix-run/html-template'

export type RowsField = {
  type: 'rows'
  name: string
  label: string
  hint: string
  /** The name of a row: `Link`. */
  one: string
  columns: readonly { name: string; label: string; example: string; maxLength: number }[]
  optional?: boolean
  maxLength?: number
}

export type FilledRows = {
  rows: readonly (readonly string[])[]
  /** Errors, by field name or by id of an input in a row. */
  errors: Readonly<Record<string, string>>
  /** The index of the row to focus. */
  focus: number | undefined
}

/** Styles and scripts of a form with such a list. */
export const rowsFiles = ['order.css', 'order.js'] as const

/**
 * Renders an ordered list with an empty row at the end. Its buttons submit the form, which is then
 * shown in the new order. A script reorders the rows in place, also by dragging.
 */
export function rowsField(field: RowsField, { rows, errors, focus }: FilledRows): SafeHtml {
  const { name, label, hint, one, columns } = field
  const error = errors[name]
  const all = [...rows, columns.map(() => '')]
  return html`<fieldset class="field" id="${name}" aria-describedby="${name}-hint${error ? ` ${name}-error` : ''}">
<legend>${label}</legend>
<p class="hint" id="${name}-hint">${hint}</p>
${error ? html`<p class="error" id="${name}-error" role="alert">${error}</p>` : null}
<ol class="ordered" data-ordered="${one}">${all.map((row, index) => rowOf(field, row, { index, errors, focus: index === focus }))}</ol>
<p><button class="button quiet small" name="arrange" value="${name} add 0" formnovalidate data-add>Add ${one.toLowerCase()}</button></p>
</fieldset>`
}

function rowOf(
  { name, one, columns }: RowsField,
  row: readonly string[],
  { index, errors, focus }: Pick<FilledRows, 'errors'> & { index: number; focus: boolean },
): SafeHtml {
  const ordinal = index + 1
  const button = (move: string, label: string) =>
    html`<button class="button quiet small" name="arrange" value="${name} ${move} ${index}" formnovalidate data-move="${move}" aria-label="${label} ${one.toLowerCase()} ${ordinal}">${label}</button>`
  return html`<li>
<span class="grip" data-grip aria-hidden="true"></span>
<div class="cells">${columns.map((column, at) => {
    const id = `${name}-${index}-${column.name}`
    const error = errors[id]
    return html`<div><input type="text" id="${id}" name="${name}-${column.name}" value="${row[at] ?? ''}" aria-label="${column.label} of ${one.toLowerCase()} ${ordinal}" placeholder="${column.example}" maxlength="${column.maxLength}" autocomplete="off"${[
      error ? html` aria-invalid="true" aria-describedby="${id}-error"` : null,
      error || (focus && at === 0) ? html` autofocus` : null,
    ]}>${error ? html`<p class="error" id="${id}-error" role="alert">${error}</p>` : null}</div>`
  })}</div>
<div class="moves">${button('up', 'Move up')}${button('down', 'Move down')}${button('remove', 'Remove')}</div>
</li>`
}
