import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import type { Frame } from '../shell/layout.ts'
import { type PageLinks, pageLinks } from './page-links.ts'

export type GroupItem = {
  name: string
  /** Where the console shows it; none for what has no page there. */
  href: string
  /** What stands in each column. */
  cells: readonly string[]
  /** Where the form goes that takes it out. */
  remove: string
}

export type GroupItems = {
  /** `Links`, and what is said where there is none. */
  title: string
  nothing: string
  /** What the first column holds, and the others. */
  head: string
  columns: readonly string[]
  rows: readonly GroupItem[]
  pages: PageLinks
  /** What was added just now. */
  added: string | undefined
}

/** What is in a campaign or a channel: each can be taken out. `forms` put more in. */
export function groupItems({ csrf }: Frame, items: GroupItems, forms: SafeHtml): SafeHtml {
  const { title, nothing, added, rows, pages } = items
  return html`<section class="panel" id="items" aria-labelledby="items-title">
<h2 id="items-title">${title}</h2>
${added ? html`<p class="inset" role="status"><bdi class="address">${added}</bdi> added.</p>` : null}
${forms}
${rows.length === 0 ? html`<p class="soft">${nothing}</p>` : table(csrf, items)}
${pageLinks(pages)}
</section>`
}

/** The form that adds a link by its name. */
export function addLinkForm(
  { csrf }: Frame,
  { action, adding }: { action: string; adding?: { value: string; error: string } | undefined },
): SafeHtml {
  return html`<form method="post" action="${action}" class="adding">${csrfField(csrf)}
${field({
  name: 'link',
  label: 'Add a link',
  hint: 'Short link or alias.',
  autocomplete: 'off',
  maxLength: 2048,
  value: adding?.value ?? '',
  ...(adding && { error: adding.error, autofocus: true }),
})}
<button class="button">Add</button>
</form>`
}

function table(csrf: string, { title, head, columns, rows }: GroupItems): SafeHtml {
  return html`<table class="cards even" aria-label="${title}">
<thead><tr><th scope="col">${head}</th>${columns.map((column) => html`<th scope="col">${column}</th>`)}<th scope="col"><span class="hidden-text">Actions</span></th></tr></thead>
<tbody>${rows.map(
    ({ name, href, cells, remove }) =>
      html`<tr><th scope="row"><a class="address clamped" href="${href}"><bdi>${name}</bdi></a></th>${cells.map(
        (cell, index) =>
          html`<td data-label="${columns[index]}"><bdi class="address clamped">${cell}</bdi></td>`,
      )}<td><form class="in-row" method="post" action="${remove}">${csrfField(csrf)}<button class="button quiet small">Remove<span class="hidden-text"> ${name}</span></button></form></td></tr>`,
  )}</tbody>
</table>`
}
