import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { type PageLinks, renderPageLinks } from '../kit/pager.ts'
import { renderCopyable } from '../kit/parts.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import type { Words } from './words.ts'

/** A table cell: a text, a URL with a copy button, a color, an image's URL, or custom markup. */
export type Cell =
  | { text: string }
  | { url: string }
  | { color: string }
  | { picture: string }
  | { content: SafeHtml }

export type ResourceRow = { id: number; name: string; cells: readonly Cell[] }

type ResourceList = PageLinks & {
  words: Words
  /** The headings of `cells`. */
  columns: readonly string[]
  rows: readonly ResourceRow[]
  /** Whether each resource has a page with details. Otherwise, its name links to its form. */
  hasDetailsPage: boolean
}

/**
 * Renders a page of the list of resources of one kind, with the purpose of the kind. An empty page
 * suggests creating a resource.
 */
export function renderResourceListPage(frame: Frame, list: ResourceList): string {
  const { words, rows } = list
  const { section, many, about } = words
  return renderConsolePage(frame, {
    title: many,
    section,
    body: html`<div class="head"><h1>${many}</h1><a class="button" href="${section}/new">${words.new}</a></div>
<p class="soft">${about}</p>
<section class="panel" aria-label="${many}">${
      rows.length === 0
        ? html`<p class="soft">${words.none} <a href="${section}/new">${t('resource.createOne')}</a></p>`
        : renderTable(list)
    }</section>
${renderPageLinks(list)}`,
  })
}

function renderTable({ words, columns, rows, hasDetailsPage }: ResourceList): SafeHtml {
  return html`<table class="cards">
<thead><tr><th scope="col">${t('resource.name')}</th>${columns.map((column) => html`<th scope="col">${column}</th>`)}<th scope="col"><span class="hidden-text">${t('resource.actions')}</span></th></tr></thead>
<tbody>${rows.map(({ id, name, cells }) => {
    const hiddenName = html`<span class="hidden-text"> ${name}</span>`
    const path = `${words.section}/${id}`
    return html`<tr>
<th scope="row"><bdi><a href="${path}${hasDetailsPage ? '' : '/edit'}">${name}</a></bdi></th>
${cells.map((cell, index) => html`<td data-label="${columns[index]}">${renderCell(cell, `cell-${id}-${index}`)}</td>`)}
<td class="changes"><a class="change" href="${path}/edit">${t('resource.edit')}${hiddenName}</a> <a class="change" href="${path}/delete">${t('resource.delete')}${hiddenName}</a></td>
</tr>`
  })}</tbody>
</table>`
}

function renderCell(cell: Cell, id: string): SafeHtml {
  if ('url' in cell) return renderCopyable({ id, href: cell.url })
  if ('content' in cell) return cell.content
  if ('text' in cell) return html`<bdi>${cell.text}</bdi>`
  if ('picture' in cell) {
    return html`<img class="thumb" src="${cell.picture}" width="56" height="56" alt="" loading="lazy">`
  }
  if (cell.color === '') return html`${t('resource.none')}`
  return html`<svg class="swatch" viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="${cell.color}"/></svg> ${cell.color}`
}
