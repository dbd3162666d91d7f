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
  /** Everything that its visitors may be led to, its own target first, and the hosts of it. */
  targets: readonly string[]
  hosts: readonly string[]
  /** What it led to when it was reported, and no longer does. */
  formerTargets: readonly string[]
  /** Stands for the targets in the form, so that nothing is decided about others. */
  seen: string
  /** What keeps visitors from the link already, in words. */
  state: string
  account: { id: number; username: string; own: boolean }
  /** How often each reason was given, in words. */
  counts: string
  firstAt: string
  lastAt: string
  texts: readonly { reason: string; text: string; at: string }[]
  /** What became of it, in words. */
  settled?: string | undefined
}

export type ReportsPage = PageLinks & {
  reports: readonly ShownReport[]
  settled: boolean
  /** What was done last. */
  notice?: string | undefined
  /** Why nothing was done. */
  error?: string | undefined
}

const PATH = '/console/operator/reports'
/** Hosts with a button each; there may be hundreds of others. */
const MOST_BUTTONS = 5

/** What visitors report, by link, and what the operator may make of it in one step. */
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

/** What reporters wrote. */
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
  .slice(0, MOST_BUTTONS)
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
