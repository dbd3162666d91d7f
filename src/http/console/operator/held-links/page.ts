import { html, type SafeHtml } from '@remix-run/html-template'
import { csrfField } from '../../../../pages/field.ts'
import { shortLinkText } from '../../../../pages/short-link-text.ts'
import { t } from '../../../../texts.ts'
import { type PageLinks, renderPageLinks } from '../../resources/page-links.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderDestinationList } from '../destination.ts'
import { renderOperatorPage } from '../layout.ts'
import { type ReportView, renderComments } from '../reports/page.ts'

export type HeldLinkView = {
  id: number
  shortUrl: string
  formerAliases: readonly string[]
  destinations: readonly string[]
  hosts: readonly string[]
  account: { id: number; username: string; exists: boolean }
  createdAt: string
  deletedAt: string
  /** When and why an admin disabled it, as text. */
  disabled: string | undefined
  /** The reports: counts per reason, as text, with their times. */
  reports: readonly Pick<ReportView, 'counts' | 'firstAt' | 'lastAt' | 'texts'>[]
  /** When and by whom the hold was confirmed, as text. */
  confirmed: string | undefined
}

export type HeldLinksPage = PageLinks & {
  links: readonly HeldLinkView[]
  showsConfirmed: boolean
  notice?: string | undefined
  error?: string | undefined
}

const PATH = '/console/operator/held'
/** The maximum number of hosts that have a button to block them. */
const MAX_HOSTS = 5

/** Renders the deleted links whose aliases and destinations are reserved. */
export function renderHeldLinksPage(frame: Frame, page: HeldLinksPage): string {
  const { links, showsConfirmed, notice, error } = page
  return renderOperatorPage(frame, {
    title: t('admin.heldLink.title'),
    currentSection: PATH,
    body: html`<h1>${t('admin.heldLink.title')}</h1>
<p class="soft">${t('admin.heldLink.intro')}</p>
<nav class="sections choices" aria-label="${t('admin.heldLink.filterLabel')}">${[
      [PATH, t('admin.heldLink.open'), !showsConfirmed],
      [`${PATH}?show=confirmed`, t('admin.heldLink.confirmed'), showsConfirmed],
    ].map(
      ([path, name, current]) =>
        html`<a href="${String(path)}"${current ? html` aria-current="page"` : null}>${String(name)}</a>`,
    )}</nav>
${notice ? html`<p class="inset" role="status">${notice}</p>` : null}
${error ? html`<p class="notice" role="alert">${error}</p>` : null}
${links.length > 0 ? links.map((link) => renderPanel(frame, link)) : renderEmptyState(showsConfirmed)}
${renderPageLinks(page)}`,
  })
}

function renderPanel(frame: Frame, link: HeldLinkView): SafeHtml {
  const { id, shortUrl, destinations, hosts, account, reports, disabled, confirmed } = link
  return html`<section class="panel" aria-labelledby="held-${id}">
<h2 id="held-${id}" class="address"><bdi>${shortLinkText(shortUrl)}</bdi></h2>
<dl class="facts">
${renderDestinationList(destinations.length === 1 ? t('admin.destination') : t('admin.destinations'), destinations)}
${renderDestinationList(t('admin.heldLink.earlierAliases'), link.formerAliases)}
<dt>${t('admin.owner')}</dt><dd>${account.exists ? html`<a href="/console/operator/accounts/${account.id}">${account.username}</a>` : t('admin.heldLink.accountDeleted', { username: account.username })}</dd>
<dt>${t('admin.created')}</dt><dd>${link.createdAt}</dd>
${disabled ? html`<dt>${t('admin.heldLink.disabled')}</dt><dd dir="auto">${disabled}</dd>` : null}
${reports.map(({ counts, firstAt, lastAt }) => html`<dt>${t('admin.heldLink.reportedAs')}</dt><dd><strong>${counts}</strong>, ${firstAt === lastAt ? firstAt : t('admin.heldLink.period', { first: firstAt, last: lastAt })}</dd>`)}
<dt>${t('admin.heldLink.deleted')}</dt><dd>${link.deletedAt}</dd>
${confirmed ? html`<dt>${t('admin.heldLink.confirmed')}</dt><dd>${confirmed}</dd>` : null}
</dl>
${reports.map(({ texts }) => renderComments(texts))}
${renderDecisionForm(frame, link)}
${hosts.length > 0 ? html`<p class="small">${hosts.slice(0, MAX_HOSTS).map((host) => html`<a href="/console/operator/hosts/new?${String(new URLSearchParams({ host }))}">${t('admin.heldLink.block', { host })}</a> `)}</p>` : null}
</section>`
}

function renderDecisionForm({ csrf }: Frame, { id, shortUrl, confirmed }: HeldLinkView): SafeHtml {
  const linkName = html`<span class="hidden-text"> ${shortLinkText(shortUrl)}</span>`
  return html`<form method="post" action="${PATH}/${id}">${csrfField(csrf)}
<div class="actions">
${confirmed ? null : html`<button class="button danger small" name="decision" value="confirm">${t('admin.heldLink.confirm')}${linkName}</button>`}
<button class="button quiet small" name="decision" value="release">${t('admin.heldLink.release')}${linkName}</button>
</div>
</form>`
}

function renderEmptyState(showsConfirmed: boolean): SafeHtml {
  return html`<section class="panel blank"><h2>${showsConfirmed ? t('admin.heldLink.noneConfirmed') : t('admin.heldLink.noneOpen')}</h2>
<p class="soft">${showsConfirmed ? t('admin.heldLink.noneConfirmedText') : t('admin.heldLink.noneOpenText')}</p></section>`
}
