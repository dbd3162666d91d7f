import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../pages/field.ts'
import { type PageLinks, pageLinks } from '../resources/page-links.ts'
import { formatCount } from '../shell/format-count.ts'
import type { Frame } from '../shell/layout.ts'
import { operatorPage } from './layout.ts'

export type HostRow = {
  host: string
  subdomains: boolean
  reason: string
  by: string
  /** The date on which it was blocked. */
  day: string
}

export type HostsPage = PageLinks & {
  rows: readonly HostRow[]
  q: string
  /** The confirmation of the last change. */
  notice?: string | undefined
}

export type HostForm = {
  values: { host: string; subdomains: string; reason: string }
  errors?: { host?: string; reason?: string; form?: string }
  /** The number of links to the host, as text, if requested. */
  count?: string | undefined
}

const PATH = '/console/operator/hosts'

/** Renders the list of blocked hosts. */
export function hostsPage(frame: Frame, page: HostsPage): string {
  const { rows, q, total, notice } = page
  return operatorPage(frame, {
    title: 'Blocked hosts',
    at: PATH,
    body: html`<div class="headline"><h1>Blocked hosts</h1><a class="button" href="${PATH}/new">Block a host</a></div>
<p class="soft">Links to these hosts are blocked for everyone.</p>
${notice ? html`<p class="inset" role="status">${notice}</p>` : null}
<form class="finder" method="get" action="${PATH}" role="search">
<div class="field"><label for="q">Search</label><input type="search" id="q" name="q" value="${q}" maxlength="255" autocomplete="off" placeholder="Part of a host"></div>
<div class="finder-buttons"><button class="button quiet">Search</button>${q ? html`<a class="reset" href="${PATH}">Clear filters</a>` : null}</div>
</form>
${rows.length > 0 ? table(rows, total) : nothing(q)}
${pageLinks(page)}`,
  })
}

function table(rows: readonly HostRow[], total: number): SafeHtml {
  return html`<section class="panel" aria-label="Blocked hosts">
<p class="small soft">${total === 1 ? '1 host' : `${formatCount(total)} hosts`}</p>
<table class="cards hosts">
<thead><tr><th scope="col">Host</th><th scope="col">Reason</th><th scope="col">By</th><th scope="col">On</th><th scope="col"><span class="hidden-text">Actions</span></th></tr></thead>
<tbody>${rows.map(
    ({ host, subdomains, reason, by, day }) => html`<tr>
<th scope="row"><span class="address">${host}</span>${subdomains ? html`<span class="small soft under">and all its subdomains</span>` : null}</th>
<td data-label="Reason" dir="auto">${reason || '–'}</td>
<td data-label="By">${by}</td>
<td data-label="On">${day}</td>
<td class="changes"><a class="change" href="${PATH}/remove?${String(new URLSearchParams({ host }))}">Unblock<span class="hidden-text"> ${host}</span></a></td>
</tr>`,
  )}</tbody>
</table>
</section>`
}

function nothing(q: string): SafeHtml {
  return q
    ? html`<section class="panel blank"><h2>No matches</h2>
<p class="soft">Try another search.</p>
<p><a class="button quiet" href="${PATH}">Show all blocked hosts</a></p></section>`
    : html`<section class="panel blank"><h2>No blocked hosts</h2>
<p class="soft">Links may point to any site.</p>
<p><a class="button quiet" href="${PATH}/new">Block a host</a></p></section>`
}

/** Renders the form that blocks a host. On request it shows the number of affected links first. */
export function hostFormPage(frame: Frame, { values, errors = {}, count }: HostForm): string {
  return operatorPage(frame, {
    title: 'Block a host',
    at: PATH,
    body: html`<p class="eyebrow"><a href="${PATH}">Blocked hosts</a></p>
<h1>Block a host</h1>
<section class="panel" aria-label="Block a host">
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
${count ? html`<p class="inset" role="status">${count}</p>` : null}
<form method="post" action="${PATH}">${csrfField(frame.csrf)}
${field({
  name: 'host',
  label: 'Host',
  autocomplete: 'off',
  value: values.host,
  hint: 'Domain or URL, for example example.com.',
  maxLength: 2000,
  autofocus: errors.reason === undefined && !count,
  ...(errors.host && { error: errors.host }),
})}
<p class="field"><label class="option"><input class="check" type="checkbox" name="subdomains" value="on"${values.subdomains ? html` checked` : null}> Include subdomains</label></p>
${field({
  name: 'reason',
  label: 'Reason',
  optional: true,
  autocomplete: 'off',
  value: values.reason,
  hint: 'For you and other admins; owners of links do not see it.',
  maxLength: 200,
  autofocus: errors.reason !== undefined,
  ...(errors.reason && { error: errors.reason }),
})}
<div class="actions"><button class="button danger">Block</button> <button class="button quiet" formmethod="get" formaction="${PATH}/new">Count affected links</button> <a class="button quiet" href="${PATH}">Cancel</a></div>
</form>
</section>`,
  })
}

/** Renders the confirmation page for unblocking a host. */
export function hostRemovalPage(
  frame: Frame,
  { host, subdomains, count }: { host: string; subdomains: boolean; count: string },
): string {
  return operatorPage(frame, {
    title: `Unblock ${host}`,
    at: PATH,
    body: html`<p class="eyebrow"><a href="${PATH}">Blocked hosts</a></p>
<h1>Unblock <bdi>${host}</bdi>?</h1>
<section class="panel" aria-label="Unblock">
<p>Links to ${host}${subdomains ? ' and its subdomains' : null} will work again. ${count}</p>
<form method="post" action="${PATH}/remove">${csrfField(frame.csrf)}<input type="hidden" name="host" value="${host}">
<div class="actions"><button class="button danger">Unblock</button> <a class="button quiet" href="${PATH}">Cancel</a></div>
</form>
</section>`,
  })
}
