import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import type { Frame } from '../shell/layout.ts'
import type { Column } from './table.ts'

type Selection<Row> = {
  /** The action of the form that changes the selected rows. */
  action: string
  /** The name of the checkbox that selects all rows, which `select.js` shows. */
  all: string
  /** Returns the name of a row's checkbox. */
  one: (row: Row) => string
}

/**
 * Creates the column with the checkboxes that select rows. They belong to the form of
 * `renderSelectionForm`. The column is empty if the user's role does not allow to submit it.
 */
export function createSelectionColumn<Row extends { id: number }>(
  frame: Frame,
  { action, all, one }: Selection<Row>,
): Column<Row> {
  const isAllowed = frame.may('POST', action)
  return {
    head: '',
    headContent: html`${isAllowed ? html`<input type="checkbox" class="check" id="all" aria-label="${all}" hidden>` : null}`,
    hidden: true,
    className: 'pick',
    cell: (row) =>
      isAllowed
        ? html`<label class="check-label"><input type="checkbox" class="check" form="change" name="id" value="${row.id}"><span class="hidden-text">${one(row)}</span></label>`
        : null,
  }
}

type SelectionForm = {
  action: string
  label: string
  /** The text if no rows are selected, and the one for `{n}` rows. */
  none: string
  some: string
  content: SafeHtml
}

/** Renders the form that changes the selected rows, unless the user's role does not allow it. */
export function renderSelectionForm(
  frame: Frame,
  { action, label, none, some, content }: SelectionForm,
): SafeHtml | null {
  if (!frame.may('POST', action)) return null
  return html`<form class="bulk" id="change" method="post" action="${action}" aria-label="${label}">${csrfField(frame.csrf)}
<p class="picked" id="picked" role="status" data-none="${none}" data-some="${some}">${label}</p>
${content}
</form>`
}
