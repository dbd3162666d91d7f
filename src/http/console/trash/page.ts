import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { hostOf } from '../../../pages/safe-url.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { formatCount } from '../shell/format-count.ts'
import { renderIcon } from '../shell/icon.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'

export type TrashRow = {
  id: number
  shortUrl: string
  /** The destination URL. */
  url: string
  title: string | null
  clicks: number
  /** The time of deletion, in ISO 8601 and as text. */
  deleted: { iso: string; text: string }
  /** The number of days until the link is deleted permanently. */
  daysLeft: number
}

export type TrashPage = {
  rows: readonly TrashRow[]
  total: number
  page: number
  lastPage: number
  notice?: string | undefined
  error?: string | undefined
}

const PATH = '/console/links/trash'

/**
 * Renders the links deleted in the last 30 days, with forms that restore them or delete them
 * permanently.
 */
export function renderTrashPage(frame: Frame, page: TrashPage): string {
  const { rows, notice, error } = page
  return renderConsolePage(frame, {
    title: t('trash.title'),
    section: '/console/links',
    confirmation: notice,
    body: html`<p class="small"><a href="/console/links">${t('trash.links')}</a></p>
<h1>${t('trash.title')}</h1>
${error ? html`<p class="notice" role="alert">${error}</p>` : null}
${rows.length > 0 ? renderList(frame, page) : renderEmptyState()}`,
  })
}

function renderList(frame: Frame, page: TrashPage): SafeHtml {
  const { rows, total } = page
  return html`<p class="lead">${t('trash.lead')}</p>
<section class="links trash" aria-label="${t('trash.title')}">
<p class="small soft found">${t('trash.count', { n: total })}</p>
<table class="cards">
<thead><tr><th scope="col" class="pick"><input type="checkbox" class="check" id="all" aria-label="${t('trash.selectAll')}" hidden></th><th scope="col">${t('trash.heads.link')}</th><th scope="col">${t('trash.heads.destination')}</th><th scope="col" class="number">${t('trash.heads.clicks')}</th><th scope="col">${t('trash.heads.deleted')}</th><th scope="col">${t('trash.heads.left')}</th></tr></thead>
<tbody>${rows.map(renderRow)}</tbody>
</table>
<form class="bulk" id="change" method="post" action="${PATH}/change" aria-label="${t('trash.actions')}">${csrfField(frame.csrf)}
<p class="picked" id="picked" role="status" data-none="${t('trash.noneSelected')}" data-some="${t('trash.selected')}">${t('trash.actions')}</p>
<div class="bulk-buttons"><button class="button quiet small" name="action" value="restore">${t('trash.restore')}</button>
<button class="button danger small" name="action" value="forever">${t('trash.deleteForever')}</button></div>
</form>
${renderPager(page)}
<form method="post" action="${PATH}/change" class="trash-empty">${csrfField(frame.csrf)}<input type="hidden" name="all" value="yes"><button class="button quiet small" name="action" value="forever">${t('trash.empty')}</button></form>
</section>`
}

function renderRow({ id, shortUrl, url, title, clicks, deleted, daysLeft }: TrashRow): SafeHtml {
  const link = shortLinkText(shortUrl)
  return html`<tr>
<td class="pick"><label class="check-label"><input type="checkbox" class="check" form="change" name="id" value="${id}"><span class="hidden-text">${t('trash.select', { link })}</span></label></td>
<th scope="row" class="what"><div class="names">${title ? html`<span class="title" dir="auto">${title}</span> ` : null}<span class="address"><bdi>${link}</bdi></span></div></th>
<td data-label="${t('trash.heads.destination')}"><span class="cut" title="${url}"><bdi>${hostOf(url)}</bdi></span></td>
<td class="number" data-label="${t('trash.heads.clicks')}">${formatCount(clicks)}</td>
<td class="soft" data-label="${t('trash.heads.deleted')}"><time datetime="${deleted.iso}">${deleted.text}</time></td>
<td class="soft" data-label="${t('trash.heads.left')}">${t('trash.left', { n: daysLeft })}</td>
</tr>`
}

function renderPager({ page, lastPage }: TrashPage): SafeHtml | null {
  if (lastPage <= 1) return null
  const renderLink = (number: number, rel: string, text: string) =>
    html`<a class="button quiet small" rel="${rel}" href="${PATH}?page=${number}">${text}</a>`
  const position = { page: formatCount(page), pages: formatCount(lastPage) }
  return html`<nav class="pager" aria-label="${t('trash.pages')}">${page > 1 ? renderLink(page - 1, 'prev', t('trash.previous')) : html`<span></span>`}<span class="small soft">${t('trash.pageOf', position)}</span>${page < lastPage ? renderLink(page + 1, 'next', t('trash.next')) : html`<span></span>`}</nav>`
}

function renderEmptyState(): SafeHtml {
  return html`<section class="panel blank links-empty">${renderIcon('trash')}<h2>${t('trash.emptyTitle')}</h2>
<p class="soft">${t('trash.emptyText')}</p>
<p><a class="button quiet" href="/console/links">${t('trash.backToLinks')}</a></p></section>`
}

/**
 * Renders the confirmation for permanently deleting the links with these IDs, or all links in the
 * trash.
 */
export function renderDeleteForeverPage(
  frame: Frame,
  { count, ids, isWholeTrash }: { count: number; ids: readonly number[]; isWholeTrash: boolean },
): string {
  const title = t('trash.askTitle', { n: count })
  return renderConsolePage(frame, {
    title,
    section: '/console/links',
    body: html`<h1>${title}</h1>
<p class="lead">${t('trash.askText')}</p>
<form method="post" action="${PATH}/change">${csrfField(frame.csrf)}
<input type="hidden" name="sure" value="yes">
${isWholeTrash ? html`<input type="hidden" name="all" value="yes">` : ids.map((id) => html`<input type="hidden" name="id" value="${id}">`)}
<p class="actions"><button class="button danger" name="action" value="forever">${t('trash.askButton', { n: count })}</button>
<a class="button quiet" href="${PATH}">${t('trash.cancel')}</a></p>
</form>`,
  })
}
