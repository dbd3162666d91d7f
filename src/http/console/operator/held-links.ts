import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { listHeldLinks } from '../../../holds/hold.service.ts'
import { type HeldLink, HOLD_DECISIONS, type HoldDecision } from '../../../holds/hold.ts'
import { listHosts } from '../../../links/destination.ts'
import { decideHold } from '../../../operator/moderation.service.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { readPage, renderPageLinks } from '../kit/pager.ts'
import {
  renderBlank,
  renderDecision,
  renderDecisionForm,
  renderNotices,
  renderPanel,
  renderViews,
} from '../kit/parts.ts'
import { buildPath, readText } from '../kit/query.ts'
import { type ConsoleRequest, idOf, type Page } from '../kit/subject.ts'
import { describeLabeledError } from '../shell/describe-error.ts'
import { formatMoment } from '../shell/format.ts'
import type { Frame } from '../shell/layout.ts'
import { readFields } from '../shell/send.ts'
import { defineAdminSubject, renderDestinationList } from './layout.ts'
import { describeCounts, renderComments } from './reports.ts'

const PATH = '/console/operator/held'
const PER_PAGE = 25
/** The maximum number of hosts that have a button to block them. */
const MAX_HOSTS = 5

/** Registers deleted links whose aliases and destinations stay reserved until an admin decides. */
export function registerHeldLinkRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { page, action } = defineAdminSubject(app, PATH)
  page('/held', 'viewer', (request) => renderHeldLinks(request))

  action('/held/:id', 'viewer', decide, (request, rejection) => {
    if (rejection.code !== 'not_found') throw rejection
    return renderHeldLinks(request, rejection)
  })

  async function decide(request: ConsoleRequest) {
    const decision = parseDecision(readFields(request.body, ['decision']).decision)
    const id = idOf(request)
    if (!decision) throw new AppError('invalid_input', { text: 'admin.chooseAction' })
    await decideHold(ctx, ctx.db, request.session.user.email, id, decision)
    return { to: `${PATH}?done=${decision}` }
  }

  async function renderHeldLinks({ query }: ConsoleRequest, rejection?: AppError): Promise<Page> {
    const confirmed = readText(query, 'show') === 'confirmed'
    const number = readPage(query)
    const slice = { limit: PER_PAGE, offset: (number - 1) * PER_PAGE }
    const { entries, total } = await listHeldLinks(ctx, ctx.db, { confirmed }, slice)
    const decision = parseDecision(readText(query, 'done'))
    const hrefOf = (other: number) =>
      buildPath(PATH, {
        show: confirmed ? 'confirmed' : undefined,
        page: other === 1 ? undefined : other,
      })
    return {
      title: t('admin.heldLink.title'),
      body: (frame) => html`<h1>${t('admin.heldLink.title')}</h1>
<p class="soft">${t('admin.heldLink.intro')}</p>
${renderViews(t('admin.heldLink.filterLabel'), [
  [PATH, t('admin.heldLink.open'), !confirmed],
  [`${PATH}?show=confirmed`, t('admin.heldLink.confirmed'), confirmed],
])}
${renderNotices({
  notice: decision && t(`admin.heldLink.done.${decision}`),
  error: rejection && describeLabeledError(rejection),
})}
${
  entries.length > 0
    ? entries.map((link) => renderHeldLink(frame, link))
    : renderBlank(
        t(confirmed ? 'admin.heldLink.noneConfirmed' : 'admin.heldLink.noneOpen'),
        t(confirmed ? 'admin.heldLink.noneConfirmedText' : 'admin.heldLink.noneOpenText'),
      )
}
${renderPageLinks({ page: number, limit: PER_PAGE, total, hrefOf })}`,
    }
  }
}

function parseDecision(text: string): HoldDecision | undefined {
  return HOLD_DECISIONS.find((candidate) => candidate === text)
}

function renderHeldLink(frame: Frame, link: HeldLink): SafeHtml {
  const { id, shortUrl, destinations, account, reports, disabled, confirmed } = link
  const format = (moment: Date) => formatMoment(moment, frame.timeZone)
  const reason = disabled?.reason ? `: ${disabled.reason}` : ''
  const hosts = listHosts(destinations).slice(0, MAX_HOSTS)
  const title = html`<span class="address"><bdi>${shortLinkText(shortUrl)}</bdi></span>`
  return renderPanel(`held-${id}`, title, [
    html`<dl class="facts">
${renderDestinationList(t(destinations.length === 1 ? 'admin.destination' : 'admin.destinations'), destinations)}
${renderDestinationList(t('admin.heldLink.earlierAliases'), link.formerAliases)}
<dt>${t('admin.owner')}</dt><dd>${account.exists ? html`<a href="/console/operator/accounts/${account.id}">${account.username}</a>` : t('admin.heldLink.accountDeleted', { username: account.username })}</dd>
<dt>${t('admin.created')}</dt><dd>${format(link.createdAt)}</dd>
${disabled ? html`<dt>${t('admin.heldLink.disabled')}</dt><dd dir="auto">${format(disabled.at)}${reason}</dd>` : null}
${reports.map(({ counts, firstAt, lastAt }) => html`<dt>${t('admin.heldLink.reportedAs')}</dt><dd><strong>${describeCounts(counts)}</strong>, ${describePeriod(format(firstAt), format(lastAt))}</dd>`)}
<dt>${t('admin.heldLink.deleted')}</dt><dd>${format(link.deletedAt)}</dd>
${confirmed ? html`<dt>${t('admin.heldLink.confirmed')}</dt><dd>${t('admin.heldLink.confirmedBy', { date: format(confirmed.at), admin: confirmed.by })}</dd>` : null}
</dl>`,
    ...reports.map(({ texts }) => renderComments(texts, frame.timeZone)),
    renderDecisions(frame, link),
    hosts.length > 0
      ? html`<p class="small">${hosts.map((host) => html`<a href="${buildPath('/console/operator/hosts/new', { host })}">${t('admin.heldLink.block', { host })}</a> `)}</p>`
      : null,
  ])
}

function describePeriod(first: string, last: string): string {
  return first === last ? first : t('admin.heldLink.period', { first, last })
}

function renderDecisions(frame: Frame, { id, shortUrl, confirmed }: HeldLink): SafeHtml | null {
  const subject = shortLinkText(shortUrl)
  return renderDecisionForm(frame, `${PATH}/${id}`, [
    confirmed
      ? null
      : renderDecision(['decision', 'confirm'], t('admin.heldLink.confirm'), {
          subject,
          className: 'button danger small',
        }),
    renderDecision(['decision', 'release'], t('admin.heldLink.release'), { subject }),
  ])
}
