import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { safeHref } from '../../../pages/safe-url.ts'
import { copiedShortUrl, shortLinkText } from '../../../pages/short-link-text.ts'
import { t, tHtml } from '../../../texts.ts'
import type { Frame } from '../shell/layout.ts'
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
<p class="back"><a href="/console/links">${t('link.links')}</a> <span aria-hidden="true">/</span></p>
<h1 class="address"><a class="plain-link" href="${safeHref(shortUrl)}" id="short" data-text="${copiedShortUrl(shortUrl)}" rel="noreferrer" target="_blank"><bdi>${text}</bdi></a></h1>
<span class="share"><button class="button quiet small" type="button" data-copy="short" aria-describedby="short">${t('link.copy')}</button>
<button class="button quiet small" type="button" data-share="short" aria-describedby="short" hidden>${t('link.share')}</button></span>
</div>
<div class="state"><p><strong class="status">${status.label}</strong>${link.isArchived ? html` · ${t('link.archived')}` : null} <span class="soft" dir="auto">${status.reason}</span></p>
<p class="leads">→ ${renderDestination(url)}</p>
<div class="actions">
<a class="button small" href="${path}/edit" data-key="E" aria-keyshortcuts="E">${t('link.edit')}</a>
<a class="button quiet small" href="#code">${t('link.code')}</a>
<a class="button quiet small" href="${path}/history">${t('history.title')}</a>
${
  status.isBlocked
    ? null
    : html`<form method="post" action="${path}/${status.isDisabled ? 'enable' : 'disable'}">${csrfField(csrf)}<button class="button quiet small">${status.isDisabled ? t('link.enable') : t('link.disable')}</button></form>`
}
<form method="post" action="${path}/${link.isArchived ? 'unarchive' : 'archive'}">${csrfField(csrf)}<button class="button quiet small">${link.isArchived ? t('link.unarchive') : t('link.archive')}</button></form>
<details class="delete"><summary>${t('link.delete')}</summary>
<form method="post" action="${path}/delete">${csrfField(csrf)}
<p class="small">${tHtml('link.deleteText', { link: html`<bdi>${text}</bdi>` })}</p>
<p><button class="button danger small">${t('link.delete')}</button></p>
</form></details>
</div>
</div>`
}

/** Renders a link's title, creation date, tags and settings. */
export function renderDetails({ title, created, tags, settings }: HeadLink): SafeHtml {
  return html`<section class="panel" aria-labelledby="details">
<h2 id="details">${t('link.details')}</h2>
<dl class="facts">
${title ? html`<dt>${t('link.title')}</dt><dd class="clamped" dir="auto">${title}</dd>` : null}
<dt>${t('link.created')}</dt><dd><time datetime="${created.at}">${created.day}</time></dd>
${tags.length > 0 ? html`<dt>${t('link.tags')}</dt><dd><ul class="tags" aria-label="${t('link.tags')}">${tags.map((tag) => html`<li dir="auto"><a href="/console/analytics?${new URLSearchParams({ tag }).toString()}">${tag}</a></li>`)}</ul></dd>` : null}
${settings.map(({ label, text }) => html`<dt>${label}</dt><dd dir="auto">${text}</dd>`)}
</dl>
</section>`
}

function renderDestination(url: string): SafeHtml {
  const href = safeHref(url)
  return html`<a class="address" href="${href}" rel="noreferrer nofollow" target="_blank">${url}</a>`
}
