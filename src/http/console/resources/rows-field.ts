import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'

/** The definition of a form field with a list of rows, each with an input per column. */
export type RowsField = {
  type: 'rows'
  name: string
  label: string
  hint: string
  /** The group of the texts. Those with the number of a row end with it, so that the script can renumber them. */
  texts: 'bio.links.rows'
  columns: readonly { name: string; label: string; example: string; maxLength: number }[]
}

/** The content of a list's field. */
export type RowsFieldState = {
  rows: readonly (readonly string[])[]
  /** Errors, by field name or by id of an input in a row. */
  errors: Readonly<Record<string, string>>
  /** The index of the row to focus. */
  focus: number | undefined
  /** Returns a note to show beside a row. */
  noteOf?: ((row: readonly string[]) => string | undefined) | undefined
}

/**
 * Renders an ordered list with an empty row at the end. Without scripts, its buttons submit the form,
 * and the reply shows the form with the changed rows. With scripts, the rows are changed in place and
 * can also be dragged.
 */
export function renderRowsField(
  field: RowsField,
  { rows, errors, focus, noteOf }: RowsFieldState,
): SafeHtml {
  const { name, label, hint, texts, columns } = field
  const error = errors[name]
  const emptyRow = columns.map(() => '')
  return html`<fieldset class="field" id="${name}" aria-describedby="${name}-hint${error ? ` ${name}-error` : ''}">
<legend>${label}</legend>
<p class="hint" id="${name}-hint">${hint}</p>
${error ? html`<p class="error" id="${name}-error" role="alert">${error}</p>` : null}
<ol class="ordered" data-ordered data-text-moved="${t(`${texts}.moved`)}" data-text-removed="${t(`${texts}.removed`)}">${[...rows, emptyRow].map((row, index) => renderRow(field, row, { index, errors, isFocused: index === focus, note: noteOf?.(row) }))}</ol>
<p><button class="button quiet small" name="arrange" value="${name} add 0" formnovalidate data-add>${t(`${texts}.add`)}</button></p>
</fieldset>`
}

type RowState = Pick<RowsFieldState, 'errors'> & {
  index: number
  isFocused: boolean
  note: string | undefined
}

function renderRow(
  { name, texts, columns }: RowsField,
  row: readonly string[],
  { index, errors, isFocused, note }: RowState,
): SafeHtml {
  const ordinal = index + 1
  const renderButton = (move: 'up' | 'down' | 'remove') =>
    html`<button class="button quiet small" name="arrange" value="${name} ${move} ${index}" formnovalidate data-move="${move}" aria-label="${t(`${texts}.of.${move}`, { ordinal })}">${t(`${texts}.${move}`)}</button>`
  return html`<li>
<span class="grip" data-grip aria-hidden="true"></span>
<div class="cells">${columns.map((column, columnIndex) => {
    const id = `${name}-${index}-${column.name}`
    const error = errors[id]
    return html`<div><input type="text" id="${id}" name="${name}-${column.name}" value="${row[columnIndex] ?? ''}" aria-label="${t(`${texts}.cell`, { column: column.label, ordinal })}" placeholder="${column.example}" maxlength="${column.maxLength}" autocomplete="off"${[
      error ? html` aria-invalid="true" aria-describedby="${id}-error"` : null,
      error || (isFocused && columnIndex === 0) ? html` autofocus` : null,
    ]}>${error ? html`<p class="error" id="${id}-error" role="alert">${error}</p>` : null}</div>`
  })}</div>
<div class="moves">${renderButton('up')}${renderButton('down')}${renderButton('remove')}${note === undefined ? null : html`<span class="row-note small soft">${note}</span>`}</div>
</li>`
}
