import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import type { AppError } from '../../../errors.ts'
import { isShortLinkReserved } from '../../../holds/hold.service.ts'
import { listHosts } from '../../../links/destination.ts'
import { getAnyLink, type ModeratedLinkView } from '../../../links/link-moderation.ts'
import { blockHostOfLink, changeLinkStatus } from '../../../operator/moderation.service.ts'
import { type LogLine, listLogLines } from '../../../operator-log/operator-log.service.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { findText, t, tHtml } from '../../../texts.ts'
import { toAppError } from '../../errors.ts'
import { defineForm } from '../kit/form.ts'
import { renderDecision, renderDecisionForm, renderNotices, renderPanel } from '../kit/parts.ts'
import { buildPath, readText } from '../kit/query.ts'
import type { ConsoleRequest, Page } from '../kit/subject.ts'
import { describeStatus, type LinkStatusText } from '../link/status.ts'
import { describeLabeledError } from '../shell/describe-error.ts'
import { formatCount, formatMoment } from '../shell/format.ts'
import type { Frame } from '../shell/layout.ts'
import { readFields } from '../shell/send.ts'
import { defineAdminSubject, renderDestinationText } from './layout.ts'
import { renderLogTable } from './log.ts'

const PATH = '/console/operator/links'
const MAX_LINES = 10
const MAX_SEARCH_LENGTH = 2000
/** The maximum number of hosts that have a button to block them. */
const MAX_BUTTONS = 5

const lookup = defineForm({ url: { label: 'admin.link.url', maxLength: MAX_SEARCH_LENGTH } })
const disabling = defineForm({
  url: { type: 'hidden' },
  reason: {
    label: 'admin.reason',
    hint: 'admin.link.reasonHint',
    maxLength: 200,
    optional: true,
  },
})

type Disabling = Parameters<typeof disabling.render>[1]
type FoundLink = ModeratedLinkView & { state: LinkStatusText }

/** Registers the lookup of a link in any account by its short URL, with an admin's actions. */
export function registerLinkRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { blockList, clock, db } = ctx
  const { page, action } = defineAdminSubject(app, PATH)

  page('/links', 'viewer', async (request) => {
    const url = readText(request.query, 'url').slice(0, MAX_SEARCH_LENGTH)
    return url === '' ? renderLookup(url) : showLink(request, url)
  })

  for (const [name, status, done] of [
    ['disable', 'disabled', 'disabled'],
    ['enable', 'active', 'enabled'],
  ] as const) {
    action(
      `/links/${name}`,
      'viewer',
      async ({ body, session }) => {
        const { url, reason } = disabling.read(body)
        const change = { status, reason }
        const { shortUrl } = await changeLinkStatus(ctx, db, session.user.email, url, change)
        return { to: buildPath(PATH, { url: shortUrl, done }) }
      },
      (request, rejection) => {
        const { url, reason } = disabling.read(request.body)
        if (rejection.field !== 'reason') return showRejection(url, rejection)
        const errors = disabling.describe(rejection)
        return showLink(request, url, { values: { reason }, errors })
      },
    )
  }

  action(
    '/links/block',
    'viewer',
    async ({ body, session }) => {
      const { url, host } = readFields(body, ['url', 'host'])
      await blockHostOfLink(ctx, db, session.user.email, url, host)
      return { to: buildPath(PATH, { url, done: 'blocked' }) }
    },
    (request, rejection) => {
      const { url } = readFields(request.body, ['url'])
      if (rejection.code !== 'link_changed') return showRejection(url, rejection)
      return showLink(request, url, {}, describeLabeledError(rejection))
    },
  )

  /** Shows a link with an error, if any, and why it was not disabled. */
  async function showLink(
    request: ConsoleRequest,
    url: string,
    state: Disabling = {},
    error?: string,
  ): Promise<Page> {
    const { query, session } = request
    const link = await getAnyLink(ctx, db, url).catch((thrown) => toAppError(thrown, request))
    if (link instanceof Error) return showRejection(url, link)
    const { shortUrl } = link
    const lines = await listLogLines(db, { subject: shortUrl }, { limit: MAX_LINES })
    const hosts = await blockList.current()
    const zone = session.user.timeZone
    const found = { ...link, state: describeStatus(link, clock(), { hosts, zone }) }
    const isBlocked = (host: string) => hosts.blocks({ hostname: host })
    const notice = findText('admin.link.done', readText(query, 'done'))
    return renderLookup(
      url,
      error,
      (frame) => html`${renderNotices({ notice })}
${renderLink(frame, found, state)}
${renderHosts(frame, found, isBlocked)}
${lines.length > 0 ? renderLog(lines, zone) : null}`,
    )
  }

  /** Shows why there is no such link. Throws errors that are about something else. */
  async function showRejection(url: string, rejection: AppError): Promise<Page> {
    const { code } = rejection
    if (code !== 'not_found' && code !== 'invalid_input') throw rejection
    const errors = lookup.describe(rejection)
    if (code !== 'not_found')
      return { ...renderLookup(url, errors.url ?? errors.form), status: 422 }
    const isReserved = await isShortLinkReserved(ctx, db, url)
    const error = isReserved ? t('admin.link.reserved') : errors.form
    return { ...renderLookup(url, error), status: 404 }
  }
}

function renderLookup(
  url: string,
  error?: string,
  renderResult: (frame: Frame) => SafeHtml | null = () => null,
): Page {
  const state = { values: { url }, ...(error && { errors: { url: error } }) }
  return {
    title: t('admin.link.title'),
    body: (frame) => html`<h1>${t('admin.link.title')}</h1>
<p class="soft">${t('admin.link.intro')}</p>
<form class="adding" method="get" action="${PATH}" role="search">
${lookup.renderField(frame, 'url', state, { autofocus: url === '' || Boolean(error) })}
<button class="button">${t('admin.link.lookUp')}</button>
</form>
${renderResult(frame)}`,
  }
}

function renderLink(frame: Frame, link: FoundLink, { values, errors }: Disabling): SafeHtml {
  const { shortUrl, destinations, state, resource, clicks, createdAt, account } = link
  const title = html`<span class="address"><bdi>${shortLinkText(shortUrl)}</bdi></span>`
  const error =
    state.isBlocked && errors?.reason
      ? t('admin.link.invalidReason', { error: errors.reason })
      : undefined
  const enable = html`<button class="button">${t('admin.link.enable')}</button>`
  return renderPanel('found', title, [
    html`<dl class="facts">
${renderDestinationText(destinations, listHosts(destinations))}
<dt>${t('admin.owner')}</dt><dd><a href="/console/operator/accounts/${account.id}">${account.username}</a>${account.suspended ? ` ${t('admin.link.suspended')}` : null}</dd>
<dt>${t('admin.status')}</dt><dd><strong>${state.label}</strong>${state.reason ? html` <span class="small soft" dir="auto">${state.reason}</span>` : null}</dd>
${resource ? html`<dt>${t('admin.type')}</dt><dd>${t(`admin.link.backing.${resource}`)}</dd>` : null}
<dt>${t('admin.clicks')}</dt><dd>${formatCount(clicks)}</dd>
<dt>${t('admin.created')}</dt><dd>${formatMoment(createdAt, frame.timeZone)}</dd>
</dl>`,
    renderNotices({ error }),
    state.isBlocked
      ? renderDecisionForm(frame, `${PATH}/enable`, [enable], { url: shortUrl })
      : disabling.render(
          frame,
          { values: { ...values, url: shortUrl }, ...(errors && { errors }) },
          {
            action: `${PATH}/disable`,
            button: t('admin.link.disable'),
            buttonClass: 'button danger',
          },
        ),
  ])
}

/** Renders the hosts of a link's destinations, each with a button to block it for all accounts. */
function renderHosts(
  frame: Frame,
  { shortUrl, destinations }: FoundLink,
  isBlocked: (host: string) => boolean,
): SafeHtml | null {
  const hosts = listHosts(destinations)
  if (hosts.length === 0) return null
  const blocked = hosts.filter(isBlocked)
  const others = hosts.filter((host) => !isBlocked(host))
  const [host] = others
  const buttons = others
    .slice(0, MAX_BUTTONS)
    .map((each) => renderDecision(['host', each], t('admin.link.block', { host: each })))
  return renderPanel('hosts', t('admin.link.hosts'), [
    blocked.length > 0
      ? html`<p>${tHtml(blocked.length > 1 ? 'admin.link.areBlocked' : 'admin.link.isBlocked', { hosts: html`<span class="address">${blocked.join(', ')}</span>` })}</p>`
      : null,
    host === undefined
      ? null
      : html`<p class="soft">${t('admin.link.blockText')}</p>
${renderDecisionForm(frame, `${PATH}/block`, buttons, { url: shortUrl })}
<p class="small"><a href="${buildPath('/console/operator/hosts/new', { host })}">${t('admin.link.blockOptions', { host })}</a></p>`,
  ])
}

function renderLog(lines: readonly LogLine[], zone: string): SafeHtml {
  return renderPanel('done', t('admin.activity'), renderLogTable(lines, zone))
}
