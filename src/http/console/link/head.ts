import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { fillHtml } from '../../../pages/fill.ts'
import { safeHref } from '../../../pages/safe-url.ts'
import { copiedShortUrl, shortLinkText } from '../../../pages/short-link-text.ts'
import type { Frame } from '../shell/layout.ts'
import { historyMessages } from './history/messages.ts'
import { linkMessages as messages } from './messages.ts'
import type { SettingView } from './settings.ts'
import type { LinkStatusText } from './status.ts'

export type HeadLink = {
  id: number
  shortUrl: string
  url: string
  /** The title of the link, if it has one. */
  title: string | null
  tags: readonly string[]
  isArchived: boolean
  created: { at: string; day: string }
  /** Settings that differ from the defaults. */
  settings: readonly SettingView[]
  /** With `isBlocked`, the owner cannot enable the link. */
  status: LinkStatusText
}

/** Renders a link's name, status and actions. */
export function renderLinkHead({ csrf }: Frame, link: HeadLink): SafeHtml {
  const { id, shortUrl, url, status } = link
  const path = `/console/links/${id}`
  const text = shortLinkText(shortUrl)
  return html`<div class="headline">
<p class="back"><a href="/console/links">${messages.links}</a> <span aria-hidden="true">/</span></p>
<h1 class="address"><a class="plain-link" href="${safeHref(shortUrl)}" id="short" data-text="${copiedShortUrl(shortUrl)}" rel="noreferrer" target="_blank"><bdi>${text}</bdi></a></h1>
<span class="share"><button class="button quiet small" type="button" data-copy="short" aria-describedby="short">${messages.copy}</button>
<button class="button quiet small" type="button" data-share="short" aria-describedby="short" hidden>${messages.share}</button></span>
</div>
<div class="state"><p><strong class="status">${status.label}</strong>${link.isArchived ? html` · ${messages.archived}` : null} <span class="soft" dir="auto">${status.reason}</span></p>
<p class="leads">→ ${renderDestination(url)}</p>
<div class="actions">
<a class="button small" href="${path}/edit" data-key="E" aria-keyshortcuts="E">${messages.edit}</a>
<a class="button quiet small" href="#code">${messages.code}</a>
<a class="button quiet small" href="${path}/history">${historyMessages.title}</a>
${
  status.isBlocked
    ? null
    : html`<form method="post" action="${path}/${status.isDisabled ? 'enable' : 'disable'}">${csrfField(csrf)}<button class="button quiet small">${status.isDisabled ? messages.enable : messages.disable}</button></form>`
}
<form method="post" action="${path}/${link.isArchived ? 'unarchive' : 'archive'}">${csrfField(csrf)}<button class="button quiet small">${link.isArchived ? messages.unarchive : messages.archive}</button></form>
<details class="delete"><summary>${messages.delete}</summary>
<form method="post" action="${path}/delete">${csrfField(csrf)}
<p class="small">${fillHtml(messages.deleteText, { link: html`<bdi>${text}</bdi>` })}</p>
<p><button class="button danger small">${messages.delete}</button></p>
</form></details>
</div>
</div>`
}

/** Renders a link's title, creation date, tags and settings. */
export function renderDetails({ title, created, tags, settings }: HeadLink): SafeHtml {
  return html`<section class="panel" aria-labelledby="details">
<h2 id="details">${messages.details}</h2>
<dl class="facts">
${title ? html`<dt>${messages.title}</dt><dd class="clamped" dir="auto">${title}</dd>` : null}
<dt>${messages.created}</dt><dd><time datetime="${created.at}">${created.day}</time></dd>
${tags.length > 0 ? html`<dt>${messages.tags}</dt><dd><ul class="tags" aria-label="${messages.tags}">${tags.map((tag) => html`<li dir="auto"><a href="/console/analytics?${new URLSearchParams({ tag }).toString()}">${tag}</a></li>`)}</ul></dd>` : null}
${settings.map(({ label, text }) => html`<dt>${label}</dt><dd dir="auto">${text}</dd>`)}
</dl>
</section>`
}

function renderDestination(url: string): SafeHtml {
  const href = safeHref(url)
  return html`<a class="address" href="${href}" rel="noreferrer nofollow" target="_blank">${url}</a>`
}
