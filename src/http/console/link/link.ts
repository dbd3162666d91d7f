import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { FIELD_NAMES, FIELDS } from '../../../links/fields.ts'
import { getLink } from '../../../links/link.service.ts'
import { type Link, toFieldValues } from '../../../links/link.ts'
import { getGuesses } from '../../../links/link-list.service.ts'
import { safeHref } from '../../../pages/safe-url.ts'
import { copiedShortUrl, shortLinkText } from '../../../pages/short-link-text.ts'
import { findCodeOfLink } from '../../../qr/qr.service.ts'
import { scopeOf } from '../../../scope.ts'
import { t, tHtml } from '../../../texts.ts'
import { listAnalyticsKeys, renderAnalyticsSection } from '../analytics/section.ts'
import { chooseStatus, loadAnalytics } from '../analytics/statistics.ts'
import { toLinkSubject } from '../analytics/subject.ts'
import { linkNameText, renderCopyIcon, renderDestination } from '../kit/link-name.ts'
import { renderMoreMenu } from '../kit/menu.ts'
import { renderButtonForm, renderLink, renderPanel } from '../kit/parts.ts'
import { renderConfirmedButton } from '../kit/popup.ts'
import { type ConsoleRequest, defineSubject, idOf, type Page } from '../kit/subject.ts'
import { formatDate, formatSecond } from '../shell/format.ts'
import type { Frame } from '../shell/layout.ts'
import { registerLinkCodeFiles, renderCodePanel } from './code.ts'
import { describeValues, getFieldLabel } from './history.ts'
import { describeStatus, type LinkStatusText } from './status.ts'

type Guesses = Awaited<ReturnType<typeof getGuesses>>

/** Fields that the page shows elsewhere than in the details. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['url', 'metaTitle', 'password'])

/** Registers the page of a link, and its QR code as a file. */
export function registerLinkPageRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { page } = defineSubject(app, '/console/links')

  page('/links/:id', 'viewer', renderLinkPage)
  registerLinkCodeFiles(app, ctx)

  async function renderLinkPage(request: ConsoleRequest): Promise<Page> {
    const { query, session } = request
    const zone = session.user.timeZone
    const link = await getLink(request.scope, idOf(request))
    const [analytics, saved, guesses, hosts] = await Promise.all([
      loadAnalytics(ctx, request, toLinkSubject(link)),
      findCodeOfLink({ db: ctx.db, accountId: link.accountId }, link.id),
      link.hasPassword ? getGuesses(scopeOf(ctx, link.accountId), link.id) : undefined,
      ctx.blockList.current(),
    ])
    const status = describeStatus(link, ctx.clock(), { hosts, zone })
    const kept = analytics.pageState.parameters
    return {
      title: linkNameText(link),
      keys: [['E', t('link.editKey'), `/console/links/${link.id}/edit`], ...listAnalyticsKeys()],
      status: chooseStatus(analytics),
      body: (frame) => html`${renderHead(frame, link, status)}
${renderAnalyticsSection(
  frame,
  analytics,
  html`${renderDetails(link, zone)}
${guesses ? renderGuesses(guesses, zone) : null}
${renderCodePanel(frame, { linkId: link.id, saved, query, kept })}`,
)}`,
    }
  }
}

/** Renders a link's name, destination, status and actions. */
function renderHead(
  frame: Frame,
  link: Link,
  { state, label, reason, isDisabled, isBlocked }: LinkStatusText,
): SafeHtml {
  const { id, shortUrl, url, metaTitle, archivedAt } = link
  const path = `/console/links/${id}`
  const text = shortLinkText(shortUrl)
  const change = isDisabled ? 'enable' : 'disable'
  const move = archivedAt ? 'unarchive' : 'archive'
  const toggle = (name: typeof change | typeof move) =>
    renderButtonForm(frame, { action: `${path}/${name}`, text: t(`link.${name}`), className: '' })
  const short = html`<a class="plain-link" href="${safeHref(shortUrl)}" id="short" data-text="${copiedShortUrl(shortUrl)}" rel="noreferrer" target="_blank"><bdi>${text}</bdi></a>`
  const chips = html`${state === 'active' ? null : html` <span class="chip ${state}">${label}</span>`}${archivedAt ? html` <span class="chip">${t('link.archived')}</span>` : null}`
  return html`<div class="head link-head">
<div>
<div class="title-line"><p class="back"><a href="/console/links">${t('link.links')}</a> <span aria-hidden="true">/</span></p>
<h1 dir="auto">${metaTitle ? html`<bdi class="clamped">${metaTitle}</bdi>` : short}</h1>${chips}</div>
<p class="leads">${metaTitle ? html`${short}${renderCopyIcon('short', t('links.copyLink', { link: text }))}` : null}<span class="soft" aria-hidden="true">→</span> <a class="plain-link cut" href="${safeHref(url)}" rel="noreferrer nofollow" target="_blank">${renderDestination(url)}</a></p>
${reason ? html`<p class="small soft" dir="auto">${reason}</p>` : null}
</div>
<div class="actions">
<button class="button small" type="button" data-copy="short">${t('link.copyLink')}</button>
${renderLink(frame, `${path}/edit`, t('link.edit'), { className: 'button quiet small', key: 'E' })}
${renderMoreMenu(t('links.actionsFor', { link: text }), [
  html`<button type="button" data-share="short" hidden>${t('link.share')}</button>`,
  html`<a href="#code">${t('link.code')}</a>`,
  html`<a href="${path}/history">${t('history.title')}</a>`,
  renderLink(frame, `/console/links/new?from=${id}`, t('links.duplicate')),
  isBlocked ? null : toggle(change),
  toggle(move),
  renderConfirmedButton(frame, {
    action: `${path}/delete`,
    summary: t('link.delete'),
    text: tHtml('link.deleteText', { link: html`<bdi>${text}</bdi>` }),
    button: t('link.delete'),
    buttonClass: 'button danger small',
  }),
])}
</div>
</div>`
}

/** Renders a link's creation date, tags, and the settings that differ from the defaults. */
function renderDetails(link: Link, zone: string): SafeHtml {
  const { createdAt, tags } = link
  const values = toFieldValues(link)
  const settings = FIELD_NAMES.filter((name) => {
    // Fields without columns repeat the values of other fields.
    const isDerived = Object.keys(FIELDS[name].columns).length === 0
    return !isDerived && !SHOWN_ELSEWHERE.has(name) && !isDefault(values[name])
  })
  return renderPanel(
    'details',
    t('link.details'),
    html`<dl class="facts">
<dt>${t('link.created')}</dt><dd><time datetime="${createdAt.toISOString()}">${formatDate(createdAt, zone)}</time></dd>
${tags.length > 0 ? html`<dt>${t('link.tags')}</dt><dd><ul class="tags" aria-label="${t('link.tags')}">${tags.map((tag) => html`<li dir="auto"><a href="/console/links?${new URLSearchParams({ tag }).toString()}">${tag}</a></li>`)}</ul></dd>` : null}
${settings.map((name) => {
  const { api } = FIELDS[name]
  return html`<dt>${getFieldLabel(api)}</dt>${describeValues(api, values[name], zone).map((text) => html`<dd dir="auto">${text}</dd>`)}`
})}
</dl>`,
  )
}

function isDefault(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === null || value === false || value === 'direct'
}

/** Renders the number of wrong password guesses and its consequences. */
function renderGuesses({ wrong, waitsUntil, knownVisitors }: Guesses, zone: string): SafeHtml {
  const time = waitsUntil && formatSecond(waitsUntil, zone)
  return renderPanel(
    'guesses',
    t('link.guesses.title'),
    html`<p>${wrong === 0 ? t('link.guesses.none') : t('link.guesses.failed', { n: wrong })}</p>
${time ? html`<p class="notice">${t('link.guesses.waiting', { time })} ${knownVisitors === 0 ? null : html`${t('link.guesses.known', { n: knownVisitors })} `}${t('link.guesses.advice')}</p>` : null}`,
  )
}
