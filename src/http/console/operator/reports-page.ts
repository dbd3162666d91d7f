import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../pages/field.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { type PageLinks, pageLinks } from '../resources/page-links.ts'
import { formatCount } from '../shell/format-count.ts'
import type { Frame } from '../shell/layout.ts'
import { destinationList, leadsTo } from './destination.ts'
import { operatorPage } from './layout.ts'

export type ShownReport = {
  id: number
  shortUrl: string
  /** Every destination of its visitors, its own first, and their hosts. */
  targets: readonly string[]
  hosts: readonly string[]
  /** Destinations at the time of the report that are no longer current. */
  formerTargets: readonly string[]
  /** A hash of the destinations, so that the decision applies only to those shown. */
  seen: string
  /** The current state of the link, as text. */
  state: string
  account: { id: number; username: string; own: boolean }
  /** Counts per reason, as text. */
  counts: string
  firstAt: string
  lastAt: string
  texts: readonly { reason: string; text: string; at: string }[]
  /** The decision, as text. */
  settled?: string | undefined
}

export type ReportsPage = PageLinks & {
  reports: readonly ShownReport[]
  settled: boolean
  /** The confirmation of the last decision. */
  notice?: string | undefined
  /** The reason why a decision was not applied. */
  error?: string | undefined
}

const PATH = '/console/operator/reports'
/** The number of hosts with a button. */
const MAX_BUTTONS = 5

/** Renders visitors' reports by link, with an admin's one-step decisions. */
export function reportsPage(frame: Frame, page: ReportsPage): string {
  const { reports, settled, notice, error } = page
  return operatorPage(frame, {
    title: 'Reports',
    at: PATH,
    body: html`<h1>Reports</h1>
<p class="soft">Links reported by visitors, most reported first.</p>
<nav class="sections choices" aria-label="Which reports">${[
      [PATH, 'Open', !settled],
      [`${PATH}?show=settled`, 'Resolved', settled],
    ].map(
      ([path, name, current]) =>
        html`<a href="${String(path)}"${current ? html` aria-current="page"` : null}>${String(name)}</a>`,
    )}</nav>
${notice ? html`<p class="inset" role="status">${notice}</p>` : null}
${error ? html`<p class="notice" role="alert">${error}</p>` : null}
${reports.length > 0 ? reports.map((report) => panel(frame, report)) : nothing(settled)}
${pageLinks(page)}`,
  })
}

function panel(frame: Frame, report: ShownReport): SafeHtml {
  const { id, shortUrl, targets, hosts, formerTargets, state, account, counts, texts } = report
  const { firstAt, lastAt, settled } = report
  return html`<section class="panel" aria-labelledby="report-${id}">
<h2 id="report-${id}"><a class="address" href="/console/operator/links?${String(new URLSearchParams({ url: shortUrl }))}"><bdi>${shortLinkText(shortUrl)}</bdi></a></h2>
<dl class="facts">
<dt>Reported as</dt><dd><strong>${counts}</strong></dd>
${leadsTo(targets, hosts)}
${destinationList('Destination when reported', formerTargets)}
<dt>Owner</dt><dd><a href="/console/operator/accounts/${account.id}">${account.username}</a></dd>
<dt>Status</dt><dd>${state}</dd>
<dt>${firstAt === lastAt ? 'Reported' : 'First / last report'}</dt><dd>${firstAt === lastAt ? firstAt : `${firstAt}, ${lastAt}`}</dd>
${settled ? html`<dt>Resolved</dt><dd>${settled}</dd>` : null}
</dl>
${comments(texts)}
${settled ? null : decisions(frame, report)}
</section>`
}

/** Renders the comments of reporters. */
export function comments(texts: ShownReport['texts']): SafeHtml | null {
  if (texts.length === 0) return null
  return html`<details><summary>Comments (${formatCount(texts.length)})</summary>
<ul class="plain">${texts.map(
    ({ reason, text, at }) =>
      html`<li><span class="small soft">${reason}, ${at}</span><blockquote class="said" dir="auto">${text}</blockquote></li>`,
  )}</ul></details>`
}

function decisions({ csrf }: Frame, { id, hosts, seen, shortUrl, account }: ShownReport): SafeHtml {
  const which = html`<span class="hidden-text"> ${shortLinkText(shortUrl)}</span>`
  return html`<form method="post" action="${PATH}/${id}">${csrfField(csrf)}<input type="hidden" name="seen" value="${seen}">
<div class="actions">
<button class="button danger small" name="decision" value="disable">Disable the link${which}</button>
${hosts
  .slice(0, MAX_BUTTONS)
  .map(
    (host) =>
      html`<button class="button quiet small" name="block" value="${host}">${hosts.length > 1 ? 'Block the host' : 'Block its host'} ${host}</button>\n`,
  )}${account.own ? null : html`<button class="button quiet small" name="decision" value="suspend">Suspend the account ${account.username}</button>`}
<button class="button quiet small" name="decision" value="dismiss">Dismiss${which}</button>
</div>
</form>`
}

function nothing(settled: boolean): SafeHtml {
  return html`<section class="panel blank"><h2>${settled ? 'No resolved reports' : 'No open reports'}</h2>
<p class="soft">${settled ? 'Kept for 90 days.' : 'Reports by visitors appear here.'}</p></section>`
}
