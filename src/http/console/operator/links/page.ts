import { html, type SafeHtml } from '@remix-run/html-template'
import type { LogLine } from '../../../../operator/log-line.ts'
import { csrfField, field } from '../../../../pages/field.ts'
import { shortLinkText } from '../../../../pages/short-link-text.ts'
import { t } from '../../../../texts.ts'
import { formatCount } from '../../shell/format-count.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderDestinationText } from '../destination.ts'
import { renderOperatorPage } from '../layout.ts'
import { renderLogTable } from '../log.ts'

export type FoundLink = {
  shortUrl: string
  /** All destinations of the link, starting with the default one, and their hosts. */
  destinations: readonly string[]
  hosts: readonly { host: string; blocked: boolean }[]
  status: { label: string; reason: string; isBlocked: boolean }
  /** The kind of resource that the link belongs to, if any: a QR code or a bio page. */
  resource: 'code' | 'bio' | undefined
  clicks: number
  createdAt: string
  account: { id: number; username: string; suspended: boolean }
  log: readonly LogLine[]
}

export type LinkLookup = {
  /** The text that the admin entered. */
  input: string
  link?: FoundLink | undefined
  /** The error of the lookup. */
  error?: string | undefined
  /** The submitted reason for disabling the link, with its error. */
  reason?: { input: string; error: string } | undefined
  confirmation?: string | undefined
}

const PATH = '/console/operator/links'
/** The maximum number of hosts that have a button to block them. */
const MAX_BUTTONS = 5

/** Renders the lookup of a link in any account by its short URL, with an admin's actions. */
export function renderLinksPage(frame: Frame, lookup: LinkLookup): string {
  const { input, link, error, confirmation } = lookup
  return renderOperatorPage(frame, {
    title: t('admin.link.title'),
    currentSection: PATH,
    body: html`<h1>${t('admin.link.title')}</h1>
<p class="soft">${t('admin.link.intro')}</p>
<form class="adding" method="get" action="${PATH}" role="search">
${field({
  name: 'url',
  label: t('admin.link.url'),
  autocomplete: 'off',
  value: input,
  maxLength: 2000,
  ...(error && { error }),
  autofocus: input === '' || Boolean(error),
})}
<button class="button">${t('admin.link.lookUp')}</button>
</form>
${confirmation ? html`<p class="inset told" role="status">${confirmation}</p>` : null}
${link ? renderFoundLink(frame, lookup, link) : null}`,
  })
}

function renderFoundLink(frame: Frame, { reason }: LinkLookup, link: FoundLink): SafeHtml {
  const { shortUrl, destinations, hosts, status, resource, clicks, createdAt, account, log } = link
  return html`<section class="panel" aria-labelledby="found">
<h2 id="found" class="address"><bdi>${shortLinkText(shortUrl)}</bdi></h2>
<dl class="facts">
${renderDestinationText(
  destinations,
  hosts.map(({ host }) => host),
)}
<dt>${t('admin.owner')}</dt><dd><a href="/console/operator/accounts/${account.id}">${account.username}</a>${account.suspended ? ` ${t('admin.link.suspended')}` : null}</dd>
<dt>${t('admin.status')}</dt><dd><strong>${status.label}</strong>${status.reason ? html` <span class="small soft" dir="auto">${status.reason}</span>` : null}</dd>
${resource ? html`<dt>${t('admin.type')}</dt><dd>${t(`admin.link.backing.${resource}`)}</dd>` : null}
<dt>${t('admin.clicks')}</dt><dd>${formatCount(clicks)}</dd>
<dt>${t('admin.created')}</dt><dd>${createdAt}</dd>
</dl>
${status.isBlocked && reason ? html`<p class="notice" role="alert">${t('admin.link.invalidReason', { error: reason.error })}</p>` : null}
${status.isBlocked ? renderEnableForm(frame, shortUrl) : renderDisableForm(frame, shortUrl, reason)}
</section>
${renderHostsPanel(frame, link)}
${log.length > 0 ? html`<section class="panel" aria-labelledby="done"><h2 id="done">${t('admin.activity')}</h2>${renderLogTable(log, frame.timeZone)}</section>` : null}`
}

/** Renders the hosts of a link's destinations, each with a button to block it for all accounts. */
function renderHostsPanel({ csrf }: Frame, { shortUrl, hosts }: FoundLink): SafeHtml | null {
  if (hosts.length === 0) return null
  const unblocked = hosts.filter(({ blocked }) => !blocked).map(({ host }) => host)
  const blocked = hosts.filter((host) => host.blocked).map(({ host }) => host)
  const [firstUnblocked] = unblocked
  return html`<section class="panel" aria-labelledby="hosts">
<h2 id="hosts">${t('admin.link.hosts')}</h2>
${blocked.length > 0 ? html`<p><span class="address">${blocked.join(', ')}</span> <span class="soft">${blocked.length > 1 ? t('admin.link.areBlocked') : t('admin.link.isBlocked')}</span></p>` : null}
${
  firstUnblocked === undefined
    ? null
    : html`<p class="soft">${t('admin.link.blockText')}</p>
<form method="post" action="${PATH}/block">${csrfField(csrf)}<input type="hidden" name="url" value="${shortUrl}">
<p class="actions">${unblocked
        .slice(0, MAX_BUTTONS)
        .map(
          (host) =>
            html`<button class="button quiet small" name="host" value="${host}">${t('admin.link.block', { host })}</button>\n`,
        )}</p>
</form>
<p class="small"><a href="/console/operator/hosts/new?${String(new URLSearchParams({ host: firstUnblocked }))}">${t('admin.link.blockOptions', { host: firstUnblocked })}</a></p>`
}
</section>`
}

function renderEnableForm({ csrf }: Frame, shortUrl: string): SafeHtml {
  return html`<form method="post" action="${PATH}/enable">${csrfField(csrf)}<input type="hidden" name="url" value="${shortUrl}">
<p class="actions"><button class="button">${t('admin.link.enable')}</button></p>
</form>`
}

function renderDisableForm(
  { csrf }: Frame,
  shortUrl: string,
  reason: LinkLookup['reason'],
): SafeHtml {
  return html`<form method="post" action="${PATH}/disable">${csrfField(csrf)}<input type="hidden" name="url" value="${shortUrl}">
${field({
  name: 'reason',
  label: t('admin.reason'),
  optional: true,
  autocomplete: 'off',
  value: reason?.input ?? '',
  maxLength: 200,
  hint: t('admin.link.reasonHint'),
  ...(reason && { error: reason.error, autofocus: true }),
})}
<p class="actions"><button class="button danger">${t('admin.link.disable')}</button></p>
</form>`
}
