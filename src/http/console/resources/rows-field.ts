import { html, type SafeHtml } from '@remix-run/html-template'

/** The texts of a list. Those with a number end with it, so that the script can renumber them. */
export type RowTexts = {
  one: (ordinal: number) => string
  /** The label of a column in a row. */
  cell: (column: string, ordinal: number) => string
  add: string
  up: string
  down: string
  remove: string
  upOf: (ordinal: number) => string
  downOf: (ordinal: number) => string
  removeOf: (ordinal: number) => string
  /** Announced after a change. `{n}` is the new number. */
  moved: string
  removed: string
}

export type RowsField = {
  type: 'rows'
  name: string
  label: string
  hint: string
  texts: RowTexts
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
  /** A remark about a row. */
  noteOf?: ((row: readonly string[]) => string | undefined) | undefined
}

/** Styles and scripts of a form with such a list. */
export const rowsFiles = ['order.css', 'order.js'] as const

/**
 * Renders an ordered list with an empty row at the end. Its buttons submit the form, which is then
 * shown in the new order. A script reorders the rows in place, also by dragging.
 */
export function renderRowsField(
  field: RowsField,
  { rows, errors, focus, noteOf }: FilledRows,
): SafeHtml {
  const { name, label, hint, texts, columns } = field
  const error = errors[name]
  const all = [...rows, columns.map(() => '')]
  return html`<fieldset class="field" id="${name}" aria-describedby="${name}-hint${error ? ` ${name}-error` : ''}">
<legend>${label}</legend>
<p class="hint" id="${name}-hint">${hint}</p>
${error ? html`<p class="error" id="${name}-error" role="alert">${error}</p>` : null}
<ol class="ordered" data-ordered data-text-moved="${texts.moved}" data-text-removed="${texts.removed}">${all.map((row, index) => renderRow(field, row, { index, errors, focus: index === focus, note: noteOf?.(row) }))}</ol>
<p><button class="button quiet small" name="arrange" value="${name} add 0" formnovalidate data-add>${texts.add}</button></p>
</fieldset>`
}

type RowState = Pick<FilledRows, 'errors'> & {
  index: number
  focus: boolean
  note: string | undefined
}

function renderRow(
  { name, texts, columns }: RowsField,
  row: readonly string[],
  { index, errors, focus, note }: RowState,
): SafeHtml {
  const ordinal = index + 1
  const renderButton = (move: 'up' | 'down' | 'remove') =>
    html`<button class="button quiet small" name="arrange" value="${name} ${move} ${index}" formnovalidate data-move="${move}" aria-label="${texts[`${move}Of`](ordinal)}">${texts[move]}</button>`
  return html`<li>
<span class="grip" data-grip aria-hidden="true"></span>
<div class="cells">${columns.map((column, at) => {
    const id = `${name}-${index}-${column.name}`
    const error = errors[id]
    return html`<div><input type="text" id="${id}" name="${name}-${column.name}" value="${row[at] ?? ''}" aria-label="${texts.cell(column.label, ordinal)}" placeholder="${column.example}" maxlength="${column.maxLength}" autocomplete="off"${[
      error ? html` aria-invalid="true" aria-describedby="${id}-error"` : null,
      error || (focus && at === 0) ? html` autofocus` : null,
    ]}>${error ? html`<p class="error" id="${id}-error" role="alert">${error}</p>` : null}</div>`
  })}</div>
<div class="moves">${renderButton('up')}${renderButton('down')}${renderButton('remove')}${note === undefined ? null : html`<span class="row-note small soft">${note}</span>`}</div>
</li>`
}
