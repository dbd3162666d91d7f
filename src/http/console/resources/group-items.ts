import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { t, tHtml } from '../../../texts.ts'
import { type PageLinks, renderPageLinks } from '../kit/pager.ts'
import type { Frame } from '../shell/layout.ts'

export type GroupItem = {
  name: string
  /** The path of the item's console page. */
  href: string
  /** The contents of the columns after the name. */
  cells: readonly string[]
  /** The path that the form for removing the item posts to. */
  removalPath: string
}

export type GroupItems = {
  /** A heading, such as `Links`. */
  title: string
  /** The text of an empty list. */
  emptyText: string
  /** The heading of the column with the names. */
  firstColumn: string
  /** The headings of `cells`. */
  otherColumns: readonly string[]
  rows: readonly GroupItem[]
  pages: PageLinks
  /** The title of the item that was just added. */
  addedTitle: string | undefined
}

/**
 * Renders the items of a campaign or channel, each with a button that removes it, below the forms
 * that add items.
 */
export function renderGroupItems({ csrf }: Frame, items: GroupItems, forms: SafeHtml): SafeHtml {
  const { title, emptyText, addedTitle, rows, pages } = items
  return html`<section class="panel" id="items" aria-labelledby="items-title">
<h2 id="items-title">${title}</h2>
${addedTitle ? html`<p class="inset" role="status">${tHtml('resource.added', { name: html`<bdi class="address">${addedTitle}</bdi>` })}</p>` : null}
${forms}
${rows.length === 0 ? html`<p class="soft">${emptyText}</p>` : renderTable(csrf, items)}
${renderPageLinks(pages)}
</section>`
}

/** Renders the form that adds a link by its short URL. */
export function renderAddLinkForm(
  { csrf }: Frame,
  {
    action,
    rejectedLink,
  }: { action: string; rejectedLink?: { value: string; error: string } | undefined },
): SafeHtml {
  return html`<form method="post" action="${action}" class="adding">${csrfField(csrf)}
${field({
  name: 'link',
  label: t('resource.addLink'),
  hint: t('resource.addLinkHint'),
  autocomplete: 'off',
  maxLength: 2048,
  value: rejectedLink?.value ?? '',
  ...(rejectedLink && { error: rejectedLink.error, autofocus: true }),
})}
<button class="button">${t('resource.add')}</button>
</form>`
}

function renderTable(
  csrf: string,
  { title, firstColumn, otherColumns, rows }: GroupItems,
): SafeHtml {
  return html`<table class="cards even" aria-label="${title}">
<thead><tr><th scope="col">${firstColumn}</th>${otherColumns.map((column) => html`<th scope="col">${column}</th>`)}<th scope="col"><span class="hidden-text">${t('resource.actions')}</span></th></tr></thead>
<tbody>${rows.map(
    ({ name, href, cells, removalPath }) =>
      html`<tr><th scope="row"><a class="address clamped" href="${href}"><bdi>${name}</bdi></a></th>${cells.map(
        (cell, index) =>
          html`<td data-label="${otherColumns[index]}"><bdi class="address clamped">${cell}</bdi></td>`,
      )}<td><form class="in-row" method="post" action="${removalPath}">${csrfField(csrf)}<button class="button quiet small">${t('resource.remove')}<span class="hidden-text"> ${name}</span></button></form></td></tr>`,
  )}</tbody>
</table>`
}
