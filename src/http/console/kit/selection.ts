import { html, type SafeHtml } from '@remix-run/html-template'
import { AppError } from '../../../errors.ts'
import { withScript } from '../assets.ts'
import type { Frame } from '../shell/layout.ts'
import { renderForm } from './parts.ts'
import { type Column, renderTable } from './table.ts'

/** The maximum number of selected rows, more than a page shows. */
const MAX_SELECTED = 100

type Selectable<Row> = {
  /** The name of the list, and its class. */
  label: string
  className: string
  /** The number of entries, as text. */
  count: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  /** The form that changes the selected rows. */
  form: {
    action: string
    label: string
    /** The text while no rows are selected, and the one for `{n}` rows. */
    none: string
    some: string
    /** The name of the checkbox that selects all rows of the page, which `select.js` shows. */
    all: string
    /** Returns the name of a row's checkbox. */
    one: (row: Row) => string
    /** The name of the checkbox that selects all results instead, if it is offered. */
    allResults?: string | undefined
    content: SafeHtml
  }
}

/**
 * Renders a list whose rows can be selected, and the form that changes them. Without checkboxes and
 * form if the user's role does not allow to submit it.
 */
export function renderSelectable<Row extends { id: number }>(
  frame: Frame,
  { label, className, count, rows, columns, form }: Selectable<Row>,
): SafeHtml {
  const isAllowed = frame.may('POST', form.action)
  const selection: Column<Row> = {
    head: '',
    ...(isAllowed && {
      headContent: html`<input type="checkbox" class="check" id="all" aria-label="${form.all}" hidden>`,
    }),
    hidden: true,
    className: 'pick',
    cell: (row) => (isAllowed ? renderPick('change', row.id, form.one(row)) : null),
  }
  const content = html`<p class="picked" id="picked"${withScript('select')} role="status" data-none="${form.none}" data-some="${form.some}">${form.label}</p>
${form.allResults ? html`<label class="check"><input type="checkbox" name="all" value="yes"> ${form.allResults}</label>` : null}
${form.content}`
  const attributes = html` class="bulk" id="change" aria-label="${form.label}"`
  return html`<section class="${className}" aria-label="${label}">
<p class="small soft found">${count}</p>
${renderTable(rows, [selection, ...columns])}
${renderForm(frame, form.action, content, { attributes })}
</section>`
}

/** Renders the checkbox that selects a row, with its name. `attributes` are preceded by a space. */
export function renderPick(
  form: string,
  id: number,
  name: string,
  attributes: SafeHtml | null = null,
): SafeHtml {
  return html`<label class="check-label"><input type="checkbox" class="check" form="${form}" name="id" value="${id}"${attributes}><span class="hidden-text">${name}</span></label>`
}

/**
 * Returns the ids of the selected rows, without repeated ones.
 *
 * @throws AppError `invalid_input` if no rows or too many are selected, `malformed_request` if an id
 *   is invalid
 */
export function readSelectedIds(body: unknown): number[] {
  const { id } = (body ?? {}) as Record<string, unknown>
  const ids = [id ?? []].flat().map((each) => Number(each))
  checkSelection(ids.length, MAX_SELECTED)
  if (!ids.every((each) => Number.isSafeInteger(each) && each > 0)) {
    throw new AppError('malformed_request')
  }
  return [...new Set(ids)]
}

/** Throws `invalid_input` naming `id` if no rows or too many are selected. */
export function checkSelection(count: number, max: number): void {
  if (count === 0) throw new AppError('invalid_input', { field: 'id', text: 'links.noneSelected' })
  if (count > max) {
    throw new AppError('invalid_input', { field: 'id', text: 'links.tooMany', args: { n: max } })
  }
}
