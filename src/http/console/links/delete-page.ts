import { html } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'

type SelectedLink = { id: number; shortUrl: string; clicks: number }

type DeletePage = {
  /** The links to name on the page. If there are many, only the first ones. */
  links: readonly SelectedLink[]
  /** The number of links to delete. */
  count: number
  /** The URL of the list in which the links were selected. */
  listUrl: string
  /** Whether the form deletes all results of the list, instead of the named links. */
  areAllResults: boolean
}

/** Renders the page that confirms the deletion of links. `ask.js` shows it as a dialog. */
export function renderDeleteLinksPage(
  frame: Frame,
  { links, count, listUrl, areAllResults }: DeletePage,
): string {
  const title = t('links.deleteTitle', { n: count })
  const text = t('links.deleteText', { n: count })
  return renderConsolePage(frame, {
    title,
    section: '/console/links',
    body: html`<div data-ask><h1>${title}</h1>
<p class="lead">${text}</p>
<section class="panel" aria-label="${t('links.linksToDelete')}">
<ul class="plain">${links.map(
      (link) =>
        html`<li><span class="address"><bdi>${shortLinkText(link.shortUrl)}</bdi></span> <span class="small soft">${t('links.clicks', { n: link.clicks })}</span></li>`,
    )}${count > links.length ? html`<li>…</li>` : null}</ul>
</section>
<form method="post" action="/console/links/change">${csrfField(frame.csrf)}
<input type="hidden" name="action" value="delete"><input type="hidden" name="sure" value="yes">
<input type="hidden" name="back" value="${listUrl}">
${areAllResults ? html`<input type="hidden" name="all" value="yes"><input type="hidden" name="count" value="${count}">` : links.map(({ id }) => html`<input type="hidden" name="id" value="${id}">`)}
<p class="actions"><button class="button danger">${t('links.deleteButton', { n: count })}</button>
<a class="button quiet" href="${listUrl}" data-keep>${t('links.cancel')}</a></p>
</form></div>`,
  })
}
