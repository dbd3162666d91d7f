import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField, field } from '../../../../pages/field.ts'
import { t } from '../../../../texts.ts'
import { type PageLinks, renderPageLinks } from '../../resources/page-links.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderOperatorPage } from '../layout.ts'

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
    title: t('admin.hosts.title'),
    currentSection: PATH,
    body: html`<div class="headline"><h1>${t('admin.hosts.title')}</h1><a class="button" href="${PATH}/new">${t('admin.hosts.add')}</a></div>
<p class="soft">${t('admin.hosts.intro')}</p>
${notice ? html`<p class="inset" role="status">${notice}</p>` : null}
<form class="finder" method="get" action="${PATH}" role="search">
<div class="field"><label for="q">${t('admin.search')}</label><input type="search" id="q" name="q" value="${q}" maxlength="255" autocomplete="off" placeholder="${t('admin.hosts.placeholder')}"></div>
<div class="finder-buttons"><button class="button quiet">${t('admin.search')}</button>${q ? html`<a class="reset" href="${PATH}">${t('admin.clear')}</a>` : null}</div>
</form>
${rows.length > 0 ? renderTable(rows, total) : renderEmptyState(q)}
${renderPageLinks(page)}`,
  })
}

function renderTable(rows: readonly HostRow[], total: number): SafeHtml {
  return html`<section class="panel" aria-label="${t('admin.hosts.title')}">
<p class="small soft">${t('admin.hosts.count', { count: total })}</p>
<table class="cards hosts">
<thead><tr><th scope="col">${t('admin.hosts.columns.host')}</th><th scope="col">${t('admin.hosts.columns.reason')}</th><th scope="col">${t('admin.hosts.columns.by')}</th><th scope="col">${t('admin.hosts.columns.on')}</th><th scope="col"><span class="hidden-text">${t('shell.actions')}</span></th></tr></thead>
<tbody>${rows.map(
    ({ host, subdomains, reason, by, blockedOn }) => html`<tr>
<th scope="row"><span class="address">${host}</span>${subdomains ? html`<span class="small soft under">${t('admin.hosts.subdomains')}</span>` : null}</th>
<td data-label="${t('admin.hosts.columns.reason')}" dir="auto">${reason || '–'}</td>
<td data-label="${t('admin.hosts.columns.by')}">${by}</td>
<td data-label="${t('admin.hosts.columns.on')}">${blockedOn}</td>
<td class="changes"><a class="change" href="${PATH}/remove?${String(new URLSearchParams({ host }))}">${t('admin.hosts.unblock')}<span class="hidden-text"> ${host}</span></a></td>
</tr>`,
  )}</tbody>
</table>
</section>`
}

function renderEmptyState(q: string): SafeHtml {
  return q
    ? html`<section class="panel blank"><h2>${t('admin.noMatches')}</h2>
<p class="soft">${t('admin.hosts.noMatches')}</p>
<p><a class="button quiet" href="${PATH}">${t('admin.hosts.showAll')}</a></p></section>`
    : html`<section class="panel blank"><h2>${t('admin.hosts.empty')}</h2>
<p class="soft">${t('admin.hosts.emptyText')}</p>
<p><a class="button quiet" href="${PATH}/new">${t('admin.hosts.add')}</a></p></section>`
}

/** Renders the form that blocks a host. On request it shows the number of affected links first. */
export function renderHostFormPage(frame: Frame, { values, errors = {}, count }: HostForm): string {
  return renderOperatorPage(frame, {
    title: t('admin.hosts.add'),
    currentSection: PATH,
    body: html`<p class="eyebrow"><a href="${PATH}">${t('admin.hosts.title')}</a></p>
<h1>${t('admin.hosts.add')}</h1>
<section class="panel" aria-label="${t('admin.hosts.add')}">
${errors.form ? html`<p class="notice" role="alert">${errors.form}</p>` : null}
${count ? html`<p class="inset" role="status">${count}</p>` : null}
<form method="post" action="${PATH}">${csrfField(frame.csrf)}
${field({
  name: 'host',
  label: t('admin.hosts.host'),
  autocomplete: 'off',
  value: values.host,
  hint: t('admin.hosts.hostHint'),
  maxLength: 2000,
  autofocus: errors.reason === undefined && !count,
  ...(errors.host && { error: errors.host }),
})}
<p class="field"><label class="option"><input class="check" type="checkbox" name="subdomains" value="on"${values.subdomains ? html` checked` : null}> ${t('admin.hosts.includeSubdomains')}</label></p>
${field({
  name: 'reason',
  label: t('admin.reason'),
  optional: true,
  autocomplete: 'off',
  value: values.reason,
  hint: t('admin.hosts.reasonHint'),
  maxLength: 200,
  autofocus: errors.reason !== undefined,
  ...(errors.reason && { error: errors.reason }),
})}
<div class="actions"><button class="button danger">${t('admin.hosts.block')}</button> <button class="button quiet" formmethod="get" formaction="${PATH}/new">${t('admin.hosts.countLinks')}</button> <a class="button quiet" href="${PATH}">${t('admin.cancel')}</a></div>
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
    title: t('admin.hosts.unblockTitle', { host }),
    currentSection: PATH,
    body: html`<p class="eyebrow"><a href="${PATH}">${t('admin.hosts.title')}</a></p>
<h1>${t('admin.hosts.unblockQuestion', { host })}</h1>
<section class="panel" aria-label="${t('admin.hosts.unblock')}">
<p>${subdomains ? t('admin.hosts.unblockAllText', { host }) : t('admin.hosts.unblockText', { host })} ${count}</p>
<form method="post" action="${PATH}/remove">${csrfField(frame.csrf)}<input type="hidden" name="host" value="${host}">
<div class="actions"><button class="button danger">${t('admin.hosts.unblock')}</button> <a class="button quiet" href="${PATH}">${t('admin.cancel')}</a></div>
</form>
</section>`,
  })
}
