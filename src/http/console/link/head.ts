import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { safeHref } from '../../../pages/safe-url.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import type { Frame } from '../shell/layout.ts'
import { historyMessages } from './history/messages.ts'

export type HeadLink = {
  id: number
  shortUrl: string
  url: string
  /** The title of the link, if it has one. */
  title: string | null
  tags: readonly string[]
  archived: boolean
  created: { at: string; day: string }
  /** `blocked` if the owner cannot enable it. */
  status: { word: string; reason: string; disabled: boolean; blocked: boolean }
}

/** Renders a link's name, status and actions. */
export function head({ csrf }: Frame, link: HeadLink): SafeHtml {
  const { id, shortUrl, url, status } = link
  const path = `/console/links/${id}`
  const text = shortLinkText(shortUrl)
  return html`<div class="headline">
<p class="back"><a href="/console/links">Links</a> <span aria-hidden="true">/</span></p>
<h1 class="address"><a class="plain-link" href="${safeHref(shortUrl)}" id="short" data-text="${shortUrl}" rel="noreferrer" target="_blank"><bdi>${text}</bdi></a></h1>
<span class="share"><button class="button quiet small" type="button" data-copy="short" aria-describedby="short">Copy</button>
<button class="button quiet small" type="button" data-share="short" aria-describedby="short" hidden>Share</button></span>
</div>
<div class="state"><p><strong class="status">${status.word}</strong>${link.archived ? html` · Archived` : null} <span class="soft" dir="auto">${status.reason}</span></p>
<p class="leads">→ ${target(url)}</p>
<div class="actions">
<a class="button small" href="${path}/edit" data-key="E" aria-keyshortcuts="E">Edit</a>
<a class="button quiet small" href="#code">QR code</a>
<a class="button quiet small" href="${path}/history">${historyMessages.title}</a>
${
  status.blocked
    ? null
    : html`<form method="post" action="${path}/${status.disabled ? 'enable' : 'disable'}">${csrfField(csrf)}<button class="button quiet small">${status.disabled ? 'Enable' : 'Disable'}</button></form>`
}
<form method="post" action="${path}/${link.archived ? 'unarchive' : 'archive'}">${csrfField(csrf)}<button class="button quiet small">${link.archived ? 'Unarchive' : 'Archive'}</button></form>
<details class="delete"><summary>Delete link</summary>
<form method="post" action="${path}/delete">${csrfField(csrf)}
<p class="small"><bdi>${text}</bdi> and QR codes for it stop working immediately. You can restore it from the trash for 30 days.</p>
<p><button class="button danger small">Delete link</button></p>
</form></details>
</div>
</div>`
}

/** Renders a link's title, tags and creation date. */
export function details({ title, created, tags }: HeadLink): SafeHtml {
  return html`<section class="panel" aria-labelledby="details">
<h2 id="details">Details</h2>
<dl class="facts">
${title ? html`<dt>Title</dt><dd class="clamped" dir="auto">${title}</dd>` : null}
<dt>Created</dt><dd><time datetime="${created.at}">${created.day}</time></dd>
${tags.length > 0 ? html`<dt>Tags</dt><dd><ul class="tags" aria-label="Tags">${tags.map((tag) => html`<li dir="auto"><a href="/console/analytics?${new URLSearchParams({ tag }).toString()}">${tag}</a></li>`)}</ul></dd>` : null}
</dl>
</section>`
}

function target(url: string): SafeHtml {
  const href = safeHref(url)
  return html`<a class="address" href="${href}" rel="noreferrer nofollow" target="_blank">${url}</a>`
}
