import { html, type SafeHtml } from '@remix-run/html-template'
import { avatarSvg } from '../../../pages/avatar.ts'
import { csrfField } from '../../../pages/field.ts'
import { copiedShortUrl, shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import type { LinkStatusText } from '../link/status.ts'
import { formatCount } from '../shell/format-count.ts'
import { renderIcon } from '../shell/icon.ts'
import type { Frame } from '../shell/layout.ts'
import { renderSparkline } from './sparkline.ts'

export type LinkRow = {
  id: number
  shortUrl: string
  /** The destination URL. */
  url: string
  /** The host of the destination. */
  host: string
  title: string | null
  tags: readonly string[]
  /** The all-time clicks. */
  clicks: number
  /** The clicks of each of the last 30 days. Undefined while statistics are unavailable. */
  dailyClicks: readonly number[] | undefined
  status: LinkStatusText
  isArchived: boolean
  /** The time of creation in ISO format, and the day of creation as text. */
  created: { at: string; text: string }
}

type RowContext = {
  /** The URL of the list. */
  listUrl: string
  /** Returns the URL of the list with another tag. */
  urlWithTag: (tag: string) => string
  /** The highest number of clicks on one day in all rows. */
  maxDailyClicks: number
}

/** Renders one link of the list with its actions. */
export function renderLinkRow(frame: Frame, page: RowContext, row: LinkRow): SafeHtml {
  const { id, shortUrl, url, host, title, tags, clicks, dailyClicks } = row
  const { status, isArchived, created } = row
  const path = `/console/links/${id}`
  const link = shortLinkText(shortUrl)
  return html`<tr data-row>
<td class="pick"><label class="check-label"><input type="checkbox" class="check" form="change" name="id" value="${id}"><span class="hidden-text">${t('links.select', { link })}</span></label></td>
<th scope="row" class="what"><div class="what-in"><span class="face" aria-hidden="true">${avatarSvg(title ?? host)}</span><div class="names">
<a class="title" id="link-${id}" data-main href="${path}" dir="auto">${title ?? host}</a>
<span class="copyable"><span class="address" id="short-${id}" data-text="${copiedShortUrl(shortUrl)}"><bdi>${link}</bdi></span><button class="copy" type="button" data-copy="short-${id}" aria-label="${t('links.copyLink', { link })}">${t('links.copy')}</button></span></div></div></th>
<td class="target" data-label="${t('links.heads.destination')}"><span class="cut" title="${url}"><bdi>${host}</bdi></span></td>
<td class="tag-cell">${tags.length > 0 ? html`<ul class="tags" aria-label="${t('links.heads.tags')}">${tags.map((tag) => html`<li><a href="${page.urlWithTag(tag)}" dir="auto">${tag}</a></li>`)}</ul>` : null}</td>
<td class="number" data-label="${t('links.heads.clicks')}">${formatCount(clicks)}</td>
<td class="spark-cell">${dailyClicks ? renderSparkline(dailyClicks, page.maxDailyClicks) : html`<span class="small soft">${t('links.unavailable')}</span>`}</td>
<td class="state-cell"><span class="status ${status.state}">${status.label}</span>${isArchived ? html` <span class="small soft">${t('links.archived')}</span>` : null}${status.reason ? html` <span class="soft reason cut" dir="auto" title="${status.reason}">${status.reason}</span>` : null}</td>
<td class="created soft"><time datetime="${created.at}">${created.text}</time></td>
<td class="row-end">${renderMenu(frame, page, row)}</td>
</tr>`
}

function renderMenu(
  { csrf }: Frame,
  { listUrl }: Pick<RowContext, 'listUrl'>,
  row: LinkRow,
): SafeHtml {
  const { id, shortUrl, status, isArchived } = row
  const path = `/console/links/${id}`
  const label = t('links.actionsFor', { link: shortLinkText(shortUrl) })
  return html`<details class="row-menu" name="row-menu"><summary>${renderIcon('more')}<span class="hidden-text">${label}</span></summary>
<div class="row-items">
<a href="${path}">${t('links.statistics')}</a>
<a href="${path}/edit" data-do="edit">${t('links.edit')}</a>
<a href="${path}#code" data-do="code">${t('links.code')}</a>
<a href="/console/links/new?from=${id}">${t('links.duplicate')}</a>
<form method="post" action="/console/links/change">${csrfField(csrf)}<input type="hidden" name="id" value="${id}"><input type="hidden" name="back" value="${listUrl}">
${status.isBlocked ? null : html`<button name="action" value="${status.isDisabled ? 'enable' : 'disable'}">${status.isDisabled ? t('links.enable') : t('links.disable')}</button>`}
<button name="action" value="${isArchived ? 'unarchive' : 'archive'}">${isArchived ? t('links.unarchive') : t('links.archive')}</button>
<button name="action" value="delete">${t('links.delete')}</button></form>
</div></details>`
}
