import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { formatCount } from '../shell/format-count.ts'
import type { Frame } from '../shell/layout.ts'
import { sparkline } from './sparkline.ts'

export type LinkRow = {
  id: number
  alias: string
  shortUrl: string
  url: string
  title: string | null
  tags: readonly string[]
  /** Clicks of all time, and of each of the last days unless these are unavailable. */
  clicks: number
  days: readonly number[] | undefined
  status: { word: string; reason: string; disabled: boolean; blocked: boolean }
  /** The day on which it was made. */
  made: string
}

/** The addresses of the list with another tag, and as it is. */
type Around = { address: string; tagAddress: (tag: string) => string }

/** One link of the list, with what can be done to it alone. */
export function linkRow(frame: Frame, page: Around, row: LinkRow): SafeHtml {
  const { id, shortUrl, url, title, tags, clicks, days, status, made } = row
  const path = `/console/links/${id}`
  const text = shortLinkText(shortUrl)
  return html`<tr data-row>
<td class="pick"><label class="check-label"><input type="checkbox" class="check" form="change" name="id" value="${id}"><span class="hidden-text">Pick ${text}</span></label></td>
<th scope="row" class="what"><span class="copyable"><a class="address" id="link-${id}" data-text="${shortUrl}" href="${path}"><bdi>${text}</bdi></a> <button class="button quiet small" type="button" data-copy="link-${id}" aria-describedby="link-${id}">Copy</button></span>
${title ? html`<span class="title" dir="auto">${title}</span>` : null}
<span class="target address" title="${url}">${url}</span>
<div class="row-facts"><span class="soft">Made on <time datetime="${made}">${made}</time></span>
${tags.length > 0 ? html`<ul class="tags" aria-label="Tags">${tags.map((tag) => html`<li><a href="${page.tagAddress(tag)}" dir="auto">${tag}</a></li>`)}</ul>` : null}</div></th>
<td class="number" data-label="Clicks">${formatCount(clicks)}</td>
<td class="spark-cell">${days ? sparkline(days) : html`<span class="small soft">Unavailable</span>`}</td>
<td class="state-cell"><strong class="status">${status.word}</strong>${status.reason ? html` <span class="small soft reason" dir="auto">${status.reason}</span>` : null}</td>
<td class="row-end">${menu(frame, page, row)}</td>
</tr>`
}

function menu({ csrf }: Frame, { address }: Around, row: LinkRow): SafeHtml {
  const { id, shortUrl, status } = row
  const path = `/console/links/${id}`
  return html`<details class="row-menu" name="row-menu"><summary>More<span class="hidden-text"> for ${shortLinkText(shortUrl)}</span></summary>
<div class="row-items">
<a href="${path}">Statistics</a>
<a href="${path}/edit" data-do="edit">Edit</a>
<a href="${path}#code" data-do="code">QR code</a>
<form method="post" action="/console/links/change">${csrfField(csrf)}<input type="hidden" name="id" value="${id}"><input type="hidden" name="back" value="${address}">
${status.blocked ? null : html`<button name="action" value="${status.disabled ? 'enable' : 'disable'}">${status.disabled ? 'Enable' : 'Disable'}</button>`}
<button name="action" value="delete">Delete …</button></form>
</div></details>`
}
