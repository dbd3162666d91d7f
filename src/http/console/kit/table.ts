import { html, type SafeHtml } from '@remix-run/html-template'

type Content = SafeHtml | string | number | null

/** A column of a table. The first one with a visible head has the headers of the rows. */
export type Column<Row> = {
  head: string
  /** The content of the head cell instead of its text. The cell then has the column's class. */
  headContent?: SafeHtml
  /** The link that sorts by the column, and the order of the rows if they are sorted by it. */
  sort?: { href: string; title: string; order: 'ascending' | 'descending' | undefined }
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
    label,
  }: { empty?: string; className?: string; hasRowHeaders?: boolean; label?: string } = {},
): SafeHtml {
  if (rows.length === 0 && empty !== undefined) return html`<p class="soft">${empty}</p>`
  const headerIndex = hasRowHeaders ? columns.findIndex(({ hidden }) => !hidden) : -1
  return html`<table class="${className}"${label ? html` aria-label="${label}"` : null}>
<thead><tr>${columns.map(renderHead)}</tr></thead>
<tbody>${rows.map(
    (row) => html`<tr>
${columns.map((column, index) => renderCell(row, column, index === headerIndex))}
</tr>`,
  )}</tbody>
</table>`
}

function renderHead<Row>(column: Column<Row>): SafeHtml {
  const { head, headContent, hidden, isNumber, sort } = column
  // A header without text says nothing: the column has controls that the user's role does not allow.
  if (head === '' && !headContent) return html`<td class="${column.className ?? ''}"></td>`
  const className = isNumber ? 'number' : (headContent || sort) && column.className
  const text = hidden ? html`<span class="hidden-text">${head}</span>` : head
  const content = headContent ?? (sort ? renderSortLink(head, sort) : text)
  return html`<th scope="col"${className ? html` class="${className}"` : null}${sort?.order ? html` aria-sort="${sort.order}"` : null}>${content}</th>`
}

function renderSortLink<Row>(
  head: string,
  { href, title, order }: NonNullable<Column<Row>['sort']>,
): SafeHtml {
  const arrow = html`<span aria-hidden="true"> ${order === 'ascending' ? '↑' : '↓'}</span>`
  return html`<a class="sort" href="${href}" title="${title}">${head}${order ? arrow : null}</a>`
}

function renderCell<Row>(row: Row, column: Column<Row>, isRowHeader: boolean): SafeHtml {
  const { head, hidden, unlabeled, cell, isNumber, dirAuto } = column
  const className = isNumber ? 'number' : column.className
  const attributes = html`${className ? html` class="${className}"` : null}${dirAuto ? html` dir="auto"` : null}`
  return isRowHeader
    ? html`<th scope="row"${attributes}>${cell(row)}</th>\n`
    : html`<td${attributes}${hidden || unlabeled ? null : html` data-label="${head}"`}>${cell(row)}</td>\n`
}

/** Renders numbers with their names, as a table without heads. */
export function renderNumbers(
  rows: readonly (readonly [name: string, number: string])[],
): SafeHtml {
  return html`<table><tbody>${rows.map(
    ([name, number]) =>
      html`<tr><th scope="row">${name}</th><td class="number">${number}</td></tr>`,
  )}</tbody></table>`
}
