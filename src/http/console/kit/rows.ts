import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { withScript } from '../assets.ts'
import { renderNoteAttributes, renderNotes } from './fields.ts'

/** A list in a form. Each row has a text per column. */
export type RowList = readonly (readonly string[])[]

/** The definition of a list's field: its texts, and an input per column in each row. */
export type RowsSpec = {
  type: 'rows'
  /** The group of the texts. Those with the number of a row end with it, so that the script can renumber them. */
  texts: 'bio.links.rows'
  columns: () => readonly { name: string; label: string; example: string; maxLength: number }[]
}

/** The row to focus. */
export type RowFocus = { name: string; index: number }

type Rows = {
  name: string
  label: string
  hint: string | undefined
  rows: RowList | undefined
  /** Errors, by field name or by id of an input in a row. */
  errors: Readonly<Record<string, string | undefined>>
  /** Whether to focus the first input with an error. */
  autofocus: boolean
  focus: RowFocus | undefined
  /** Returns a note to show beside a row. */
  noteOfRow: ((row: readonly string[]) => string | undefined) | undefined
}

/** Returns the rows of a list in a submitted form, without empty rows. */
export function readRows(body: unknown, name: string, { columns }: RowsSpec): RowList {
  const fields = (body ?? {}) as Record<string, unknown>
  const textsByColumn = columns().map((column) => listTexts(fields[`${name}-${column.name}`]))
  const length = Math.max(0, ...textsByColumn.map((texts) => texts.length))
  const rows = Array.from({ length }, (_, index) =>
    textsByColumn.map((texts) => texts[index] ?? ''),
  )
  return rows.filter((row) => row.some((text) => text !== ''))
}

/**
 * Returns the rows after the change that a pressed button requests, such as `links up 2`, and the index
 * of the row to focus. Returns undefined if no button of this list was pressed.
 */
export function arrangeRows(
  body: unknown,
  name: string,
  rows: RowList,
): { rows: RowList; focus: number } | undefined {
  const { arrange } = (body ?? {}) as { arrange?: unknown }
  const parts = /^(\w+) (up|down|remove|add) (\d{1,4})$/.exec(String(arrange ?? ''))
  if (parts?.[1] !== name) return undefined
  const move = parts[2] as 'up' | 'down' | 'remove' | 'add'
  const index = Number(parts[3])
  const arranged = move === 'add' ? rows : moveRow(rows, index, move)
  // The form shows an empty row after the last one.
  const focus = { up: index - 1, down: index + 1, remove: index, add: arranged.length }[move]
  return { rows: arranged, focus: Math.min(Math.max(focus, 0), arranged.length) }
}

/** Returns the rows after a move or removal. An index without a row changes nothing. */
function moveRow(rows: RowList, index: number, move: 'up' | 'down' | 'remove'): RowList {
  const row = rows[index]
  if (!row) return rows
  const others = rows.toSpliced(index, 1)
  if (move === 'remove') return others
  return others.toSpliced(Math.max(0, move === 'up' ? index - 1 : index + 1), 0, row)
}

/** Returns the texts of a repeated form field, each as a single line. */
function listTexts(value: unknown): string[] {
  return [value]
    .flat()
    .filter((each) => typeof each === 'string')
    .map((text) => text.replace(/[\t\r\n]+/g, ' ').trim())
}

/**
 * Renders an ordered list with an empty row at the end. Without scripts, its buttons submit the form,
 * and the reply shows the form with the changed rows. With scripts, the rows are changed in place and
 * can also be dragged.
 */
export function renderRows(spec: RowsSpec, list: Rows): SafeHtml {
  const { name, label, hint, rows = [], errors } = list
  const { texts } = spec
  const error = errors[name]
  const emptyRow = spec.columns().map(() => '')
  const ids = [...rows.keys()].flatMap((index) =>
    spec.columns().map((column) => `${name}-${index}-${column.name}`),
  )
  const wrong = list.autofocus ? ids.find((id) => errors[id]) : undefined
  return html`<fieldset class="field" id="${name}" aria-describedby="${name}-hint${error ? ` ${name}-error` : ''}">
<legend>${label}</legend>
${renderNotes(name, { hint, error })}
<ol class="ordered" data-ordered${withScript('reorder', 'rows')} data-text-moved="${t(`${texts}.moved`)}" data-text-removed="${t(`${texts}.removed`)}">${[...rows, emptyRow].map((row, index) => renderRow(spec, list, { row, index, wrong }))}</ol>
<p><button class="button quiet small" name="arrange" value="${name} add 0" formnovalidate data-add>${t(`${texts}.add`)}</button></p>
</fieldset>`
}

function renderRow(
  { texts, columns }: RowsSpec,
  { name, errors, focus, noteOfRow }: Rows,
  { row, index, wrong }: { row: readonly string[]; index: number; wrong: string | undefined },
): SafeHtml {
  const ordinal = index + 1
  const isFocused = focus?.name === name && focus.index === index
  const note = noteOfRow?.(row)
  const renderButton = (move: 'up' | 'down' | 'remove') =>
    html`<button class="button quiet small" name="arrange" value="${name} ${move} ${index}" formnovalidate data-move="${move}" aria-label="${t(`${texts}.of.${move}`, { ordinal })}">${t(`${texts}.${move}`)}</button>`
  return html`<li>
<span class="grip" data-grip aria-hidden="true"></span>
<div class="cells">${columns().map((column, columnIndex) => {
    const id = `${name}-${index}-${column.name}`
    const error = errors[id]
    const autofocus = id === wrong || (isFocused && columnIndex === 0)
    return html`<div><input type="text" id="${id}" name="${name}-${column.name}" value="${row[columnIndex] ?? ''}" aria-label="${t(`${texts}.cell`, { column: column.label, ordinal })}" placeholder="${column.example}" maxlength="${column.maxLength}" autocomplete="off"${renderNoteAttributes(id, { error, autofocus })}>${renderNotes(id, { error })}</div>`
  })}</div>
<div class="moves">${renderButton('up')}${renderButton('down')}${renderButton('remove')}${note === undefined ? null : html`<span class="row-note small soft">${note}</span>`}</div>
</li>`
}
