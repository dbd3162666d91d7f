import { html, type SafeHtml } from '@remix-run/html-template'

type Content = SafeHtml | string | number | null

/** A column of a table. The first one has the headers of the rows. */
export type Column<Row> = {
  head: string
  /** Whether only screen readers have the head: the column has the controls of a row. */
  hidden?: boolean
  /** Whether a card does not show the head beside the cell. */
  unlabeled?: boolean
  cell: (row: Row) => Content
  className?: string
  /** Whether the column has numbers, which line up at the end. */
  isNumber?: boolean
  /** Whether the cell's direction follows its text, which a person entered. */
  dirAuto?: boolean
}

/**
 * Renders a table, or cards on a phone, which show the head of a column beside each cell. Without
 * rows, renders `empty` instead.
 */
export function renderTable<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  {
    empty,
    className = 'cards',
    hasRowHeaders = true,
  }: { empty?: string; className?: string; hasRowHeaders?: boolean } = {},
): SafeHtml {
  if (rows.length === 0 && empty !== undefined) return html`<p class="soft">${empty}</p>`
  return html`<table class="${className}">
<thead><tr>${columns.map(renderHead)}</tr></thead>
<tbody>${rows.map(
    (row) => html`<tr>
${columns.map((column, index) => renderCell(row, column, hasRowHeaders && index === 0))}
</tr>`,
  )}</tbody>
</table>`
}

function renderHead<Row>({ head, hidden, isNumber }: Column<Row>): SafeHtml {
  return html`<th scope="col"${isNumber ? html` class="number"` : null}>${hidden ? html`<span class="hidden-text">${head}</span>` : head}</th>`
}

function renderCell<Row>(row: Row, column: Column<Row>, isRowHeader: boolean): SafeHtml {
  const { head, hidden, unlabeled, cell, isNumber, dirAuto } = column
  const className = isNumber ? 'number' : column.className
  const attributes = html`${className ? html` class="${className}"` : null}${dirAuto ? html` dir="auto"` : null}`
  return isRowHeader
    ? html`<th scope="row"${attributes}>${cell(row)}</th>\n`
    : html`<td${attributes}${hidden || unlabeled ? null : html` data-label="${head}"`}>${cell(row)}</td>\n`
}
