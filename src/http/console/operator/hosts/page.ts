import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../../pages/field.ts'
import { type PageLinks, renderPageLinks } from '../../resources/page-links.ts'
import type { Frame } from '../../shell/layout.ts'
import { shellMessages } from '../../shell/messages.ts'
import { renderOperatorPage } from '../layout.ts'
import { operatorMessages as common } from '../messages.ts'
import { hostMessages as messages } from './messages.ts'

export type HostRow = {
  host: string
  subdomains: boolean
  reason: string
  by: string
  /** The date on which it was blocked. */
  blockedOn: string
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
export function renderHostsPage(frame: Frame, page: HostsPage): string {
  const { rows, q, total, notice } = page
  return renderOperatorPage(frame, {
    title: messages.title,
    currentSection: PATH,
    body: html`<div class="headline"><h1>${messages.title}</h1><a class="button" href="${PATH}/new">${messages.add}</a></div>
<p class="soft">${messages.intro}</p>
${notice ? html`<p class="inset" role="status">${notice}</p>` : null}
<form class="finder" method="get" action="${PATH}" role="search">
<div class="field"><label for="q">${common.search}</label><input type="search" id="q" name="q" value="${q}" maxlength="255" autocomplete="off" placeholder="${messages.placeholder}"></div>
<div class="finder-buttons"><button class="button quiet">${common.search}</button>${q ? html`<a class="reset" href="${PATH}">${common.clear}</a>` : null}</div>
</form>
${rows.length > 0 ? renderTable(rows, total) : renderEmptyState(q)}
${renderPageLinks(page)}`,
  })
}

function renderTable(rows: readonly HostRow[], total: number): SafeHtml {
  const { columns } = messages
  return html`<section class="panel" aria-label="${messages.title}">
<p class="small soft">${messages.count(total)}</p>
<table class="cards hosts">
<thead><tr><th scope="col">${columns.host}</th><th scope="col">${columns.reason}</th><th scope="col">${columns.by}</th><th scope="col">${columns.on}</th><th scope="col"><span class="hidden-text">${shellMessages.actions}</span></th></tr></thead>
<tbody>${rows.map(
    ({ host, subdomains, reason, by, blockedOn }) => html`<tr>
<th scope="row"><span class="address">${host}</span>${subdomains ? html`<span class="small soft under">${messages.subdomains}</span>` : null}</th>
<td data-label="${columns.reason}" dir="auto">${reason || '–'}</td>
<td data-label="${columns.by}">${by}</td>
<td data-label="${columns.on}">${blockedOn}</td>
<td class="changes"><a class="change" href="${PATH}/remove?${String(new URLSearchParams({ host }))}">${messages.unblock}<span class="hidden-text"> ${host}</span></a></td>
</tr>`,
  )}</tbody>
</table>
</section>`
}

function renderEmptyState(q: string): SafeHtml {
  return q
    ? html`<section class="panel blank"><h2>${common.noMatches}</h2>
<p class="soft">${messages.noMatches}</p>
<p><a class="button quiet" href="${PATH}">${messages.showAll}</a></p></section>`
    : html`<section class="panel blank"><h2>${messages.empty}</h2>
<p class="soft">${messages.emptyText}</p>
<p><a class="button quiet" href="${PATH}/new">${messages.add}</a></p></section>`
}

/** Renders the form that blocks a host. On request it shows the number of affected links first. */
export function renderHostFormPage(frame: Frame, { values, errors = {}, count }: HostForm): string {
  return renderOperatorPage(frame, {
    title: messages.add,
    currentSection: PATH,
    body: html`<p class="eyebrow"><a href="${PATH}">${messages.title}</a></p>
<h1>${messages.add}</h1>
<section class="panel" aria-label="${messages.add}">
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
${count ? html`<p class="inset" role="status">${count}</p>` : null}
<form method="post" action="${PATH}">${csrfField(frame.csrf)}
${field({
  name: 'host',
  label: messages.host,
  autocomplete: 'off',
  value: values.host,
  hint: messages.hostHint,
  maxLength: 2000,
  autofocus: errors.reason === undefined && !count,
  ...(errors.host && { error: errors.host }),
})}
<p class="field"><label class="option"><input class="check" type="checkbox" name="subdomains" value="on"${values.subdomains ? html` checked` : null}> ${messages.includeSubdomains}</label></p>
${field({
  name: 'reason',
  label: common.reason,
  optional: true,
  autocomplete: 'off',
  value: values.reason,
  hint: messages.reasonHint,
  maxLength: 200,
  autofocus: errors.reason !== undefined,
  ...(errors.reason && { error: errors.reason }),
})}
<div class="actions"><button class="button danger">${messages.block}</button> <button class="button quiet" formmethod="get" formaction="${PATH}/new">${messages.countLinks}</button> <a class="button quiet" href="${PATH}">${common.cancel}</a></div>
</form>
</section>`,
  })
}

/** Renders the confirmation page for unblocking a host. */
export function renderHostRemovalPage(
  frame: Frame,
  { host, subdomains, count }: { host: string; subdomains: boolean; count: string },
): string {
  return renderOperatorPage(frame, {
    title: messages.unblockTitle(host),
    currentSection: PATH,
    body: html`<p class="eyebrow"><a href="${PATH}">${messages.title}</a></p>
<h1>${messages.unblockQuestion(host)}</h1>
<section class="panel" aria-label="${messages.unblock}">
<p>${subdomains ? messages.unblockAllText(host) : messages.unblockText(host)} ${count}</p>
<form method="post" action="${PATH}/remove">${csrfField(frame.csrf)}<input type="hidden" name="host" value="${host}">
<div class="actions"><button class="button danger">${messages.unblock}</button> <a class="button quiet" href="${PATH}">${common.cancel}</a></div>
</form>
</section>`,
  })
}
