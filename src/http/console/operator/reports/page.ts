import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../../pages/field.ts'
import { shortLinkText } from '../../../../pages/short-link-text.ts'
import { t } from '../../../../texts.ts'
import { type PageLinks, renderPageLinks } from '../../resources/page-links.ts'
import { formatCount } from '../../shell/format-count.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderDestinationList, renderDestinationText } from '../destination.ts'
import { renderOperatorPage } from '../layout.ts'

export type ReportView = {
  id: number
  shortUrl: string
  /** All destinations of the link, starting with the default one, and their hosts. */
  destinations: readonly string[]
  hosts: readonly string[]
  /** Destinations at the time of the report that are no longer current. */
  formerDestinations: readonly string[]
  /** A hash of the destinations, so that the decision applies only to those shown. */
  seen: string
  /** The current state of the link, as text. */
  state: string
  account: { id: number; username: string; isOwn: boolean }
  /** Counts per reason, as text. */
  counts: string
  firstAt: string
  lastAt: string
  texts: readonly { reason: string; text: string; at: string }[]
  /** The decision, as text. */
  settled?: string | undefined
}

export type ReportsPage = PageLinks & {
  reports: readonly ReportView[]
  showsSettled: boolean
  /** The confirmation of the last decision. */
  notice?: string | undefined
  /** The reason why a decision was not applied. */
  error?: string | undefined
}

const PATH = '/console/operator/reports'
/** The maximum number of hosts that have a button to block them. */
const MAX_BUTTONS = 5

/** Renders visitors' reports by link, with an admin's one-step decisions. */
export function renderReportsPage(frame: Frame, page: ReportsPage): string {
  const { reports, showsSettled, notice, error } = page
  return renderOperatorPage(frame, {
    title: t('admin.report.title'),
    currentSection: PATH,
    body: html`<h1>${t('admin.report.title')}</h1>
<p class="soft">${t('admin.report.intro')}</p>
<nav class="sections choices" aria-label="${t('admin.report.filterLabel')}">${[
      [PATH, t('admin.report.open'), !showsSettled],
      [`${PATH}?show=settled`, t('admin.report.resolved'), showsSettled],
    ].map(
      ([path, name, current]) =>
        html`<a href="${String(path)}"${current ? html` aria-current="page"` : null}>${String(name)}</a>`,
    )}</nav>
${notice ? html`<p class="inset" role="status">${notice}</p>` : null}
${error ? html`<p class="notice" role="alert">${error}</p>` : null}
${reports.length > 0 ? reports.map((report) => renderPanel(frame, report)) : renderEmptyState(showsSettled)}
${renderPageLinks(page)}`,
  })
}

function renderPanel(frame: Frame, report: ReportView): SafeHtml {
  const { id, shortUrl, destinations, hosts, formerDestinations, state, account, counts, texts } =
    report
  const { firstAt, lastAt, settled } = report
  return html`<section class="panel" aria-labelledby="report-${id}">
<h2 id="report-${id}"><a class="address" href="/console/operator/links?${String(new URLSearchParams({ url: shortUrl }))}"><bdi>${shortLinkText(shortUrl)}</bdi></a></h2>
<dl class="facts">
<dt>${t('admin.report.reportedAs')}</dt><dd><strong>${counts}</strong></dd>
${renderDestinationText(destinations, hosts)}
${renderDestinationList(t('admin.report.formerDestination'), formerDestinations)}
<dt>${t('admin.owner')}</dt><dd><a href="/console/operator/accounts/${account.id}">${account.username}</a></dd>
<dt>${t('admin.status')}</dt><dd>${state}</dd>
<dt>${firstAt === lastAt ? t('admin.report.reported') : t('admin.report.firstAndLast')}</dt><dd>${firstAt === lastAt ? firstAt : `${firstAt}, ${lastAt}`}</dd>
${settled ? html`<dt>${t('admin.report.resolved')}</dt><dd>${settled}</dd>` : null}
</dl>
${renderComments(texts)}
${settled ? null : renderDecisionForm(frame, report)}
</section>`
}

/** Renders the comments of reporters. */
export function renderComments(texts: ReportView['texts']): SafeHtml | null {
  if (texts.length === 0) return null
  return html`<details><summary>${t('admin.report.comments', { count: formatCount(texts.length) })}</summary>
<ul class="plain">${texts.map(
    ({ reason, text, at }) =>
      html`<li><span class="small soft">${reason}, ${at}</span><blockquote class="said" dir="auto">${text}</blockquote></li>`,
  )}</ul></details>`
}

function renderDecisionForm(
  { csrf }: Frame,
  { id, hosts, seen, shortUrl, account }: ReportView,
): SafeHtml {
  const linkName = html`<span class="hidden-text"> ${shortLinkText(shortUrl)}</span>`
  return html`<form method="post" action="${PATH}/${id}">${csrfField(csrf)}<input type="hidden" name="seen" value="${seen}">
<div class="actions">
<button class="button danger small" name="decision" value="disable">${t('admin.report.disable')}${linkName}</button>
${hosts
  .slice(0, MAX_BUTTONS)
  .map(
    (host) =>
      html`<button class="button quiet small" name="block" value="${host}">${hosts.length > 1 ? t('admin.report.blockHost', { host }) : t('admin.report.blockItsHost', { host })}</button>\n`,
  )}${account.isOwn ? null : html`<button class="button quiet small" name="decision" value="suspend">${t('admin.report.suspend', { account: account.username })}</button>`}
<button class="button quiet small" name="decision" value="dismiss">${t('admin.report.dismiss')}${linkName}</button>
</div>
</form>`
}

function renderEmptyState(showsSettled: boolean): SafeHtml {
  return html`<section class="panel blank"><h2>${showsSettled ? t('admin.report.noneResolved') : t('admin.report.noneOpen')}</h2>
<p class="soft">${showsSettled ? t('admin.report.noneResolvedText') : t('admin.report.noneOpenText')}</p></section>`
}
