import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../../pages/field.ts'
import { shortLinkText } from '../../../../pages/short-link-text.ts'
import { t } from '../../../../texts.ts'
import { renderPager } from '../../kit/pager.ts'
import { type Frame, renderConsolePage } from '../../shell/layout.ts'

export type VersionView = {
  id: number
  at: Date
  /** The formatted time. */
  moment: string
  by: string
  title: string | undefined
  changes: readonly SafeHtml[]
  /** Whether it is the current state, which cannot be restored. */
  isCurrent: boolean
}

export type HistoryPage = {
  link: { id: number; shortUrl: string }
  versions: readonly VersionView[]
  newer: string | undefined
  older: string | undefined
  error?: string | undefined
}

/** Renders the versions of a link, newest first, each with a form that restores it. */
export function renderHistoryPage(frame: Frame, page: HistoryPage): string {
  const { link, versions, newer, older, error } = page
  const text = shortLinkText(link.shortUrl)
  return renderConsolePage(frame, {
    title: `${t('history.title')} · ${text}`,
    section: '/console/links',
    body: html`<p class="small back"><a href="/console/links/${link.id}"><bdi>${text}</bdi></a></p>
<h1>${t('history.title')}</h1>
<p class="soft">${t('history.lead')}</p>
${error ? html`<p class="notice" role="alert">${error}</p>` : null}
${
  versions.length === 0
    ? html`<p>${t('history.empty')}</p>`
    : html`<ol class="history" aria-label="${t('history.title')}">${versions.map((version) => renderVersionItem(frame, link.id, version))}</ol>`
}
${renderPager({ newer, older })}`,
  })
}

function renderVersionItem({ csrf }: Frame, linkId: number, version: VersionView): SafeHtml {
  const { id, at, moment, by, title, changes, isCurrent } = version
  return html`<li class="panel" id="version-${id}">
<p class="small soft"><time datetime="${at.toISOString()}">${moment}</time> · <bdi>${by}</bdi></p>
${title ? html`<p><strong>${title}</strong></p>` : null}
<ul>${changes.map((change) => html`<li>${change}</li>`)}</ul>
${
  isCurrent
    ? null
    : html`<details><summary>${t('history.restore')}<span class="hidden-text"> ${moment}</span></summary>
<form method="post" action="/console/links/${linkId}/history/${id}/restore">${csrfField(csrf)}
<p class="small">${t('history.restoreText')}</p>
<p><button class="button quiet small">${t('history.restoreButton')}</button></p>
</form></details>`
}
</li>`
}
