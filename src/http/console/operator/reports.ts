import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { hashDestinations, listHosts } from '../../../links/destination.ts'
import { decideReport } from '../../../operator/moderation.service.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { listReports } from '../../../reports/report.service.ts'
import {
  DECISIONS,
  type Decision,
  type LinkReport,
  REPORT_REASONS,
} from '../../../reports/report.ts'
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
import { formatCount, formatMoment } from '../shell/format.ts'
import type { Frame } from '../shell/layout.ts'
import { readFields } from '../shell/send.ts'
import { defineAdminSubject, renderDestinationList, renderDestinationText } from './layout.ts'

const PATH = '/console/operator/reports'
const PER_PAGE = 25
/** The maximum number of hosts that have a button to block them. */
const MAX_BUTTONS = 5

/** Errors shown above the current reports. */
const EXPECTED_ERRORS = ['not_found', 'forbidden', 'link_changed', 'last_admin']

/** Registers visitors' reports by link, with an admin's one-step decisions. */
export function registerReportRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { page, action } = defineAdminSubject(app, PATH)
  page('/reports', 'viewer', (request) => renderReports(request))

  action('/reports/:id', 'viewer', decide, (request, rejection) => {
    if (!EXPECTED_ERRORS.includes(rejection.code)) throw rejection
    return renderReports(request, rejection)
  })

  async function decide(request: ConsoleRequest) {
    const fields = readFields(request.body, ['decision', 'block', 'seen'])
    const host = fields.block === '' ? undefined : fields.block
    const decision = host === undefined ? parseDecision(fields.decision) : 'block'
    if (!decision) throw new AppError('invalid_input', { text: 'admin.chooseAction' })
    const { email } = request.session.user
    await decideReport(ctx, ctx.db, email, idOf(request), { decision, seen: fields.seen, host })
    return { to: `${PATH}?done=${decision}` }
  }

  async function renderReports(request: ConsoleRequest, rejection?: AppError): Promise<Page> {
    const { query, session } = request
    const settled = readText(query, 'show') === 'settled'
    const number = readPage(query)
    const slice = { limit: PER_PAGE, offset: (number - 1) * PER_PAGE }
    const { entries, total } = await listReports(ctx, ctx.db, { settled }, slice)
    const decision = parseDecision(readText(query, 'done'))
    const hrefOf = (other: number) =>
      buildPath(PATH, {
        show: settled ? 'settled' : undefined,
        page: other === 1 ? undefined : other,
      })
    return {
      title: t('admin.report.title'),
      body: (frame) => html`<h1>${t('admin.report.title')}</h1>
<p class="soft">${t('admin.report.intro')}</p>
${renderViews(t('admin.report.filterLabel'), [
  [PATH, t('admin.report.open'), !settled],
  [`${PATH}?show=settled`, t('admin.report.resolved'), settled],
])}
${renderNotices({
  notice: decision && t(`admin.report.done.${decision}`),
  error: rejection && describeLabeledError(rejection),
})}
${
  entries.length > 0
    ? entries.map((report) => renderReport(frame, report, session.account.id))
    : renderBlank(
        t(settled ? 'admin.report.noneResolved' : 'admin.report.noneOpen'),
        t(settled ? 'admin.report.noneResolvedText' : 'admin.report.noneOpenText'),
      )
}
${renderPageLinks({ page: number, limit: PER_PAGE, total, hrefOf })}`,
    }
  }
}

function parseDecision(text: string): Decision | undefined {
  return DECISIONS.find((candidate) => candidate === text)
}

function renderReport(frame: Frame, report: LinkReport, ownAccountId: number): SafeHtml {
  const { id, link, account, counts, texts, settled } = report
  const { timeZone } = frame
  const hosts = listHosts([...link.destinations, ...link.formerDestinations])
  const firstAt = formatMoment(report.firstAt, timeZone)
  const lastAt = formatMoment(report.lastAt, timeZone)
  const outcome = settled && {
    date: formatMoment(settled.at, timeZone),
    admin: settled.by,
    outcome: t(`admin.report.outcomes.${settled.decision}`),
  }
  const title = html`<a class="address" href="${buildPath('/console/operator/links', { url: link.shortUrl })}"><bdi>${shortLinkText(link.shortUrl)}</bdi></a>`
  return renderPanel(`report-${id}`, title, [
    html`<dl class="facts">
<dt>${t('admin.report.reportedAs')}</dt><dd><strong>${describeCounts(counts)}</strong></dd>
${renderDestinationText(link.destinations, hosts)}
${renderDestinationList(t('admin.report.formerDestination'), link.formerDestinations)}
<dt>${t('admin.owner')}</dt><dd><a href="/console/operator/accounts/${account.id}">${account.username}</a></dd>
<dt>${t('admin.status')}</dt><dd>${getState(report)}</dd>
<dt>${t(firstAt === lastAt ? 'admin.report.reported' : 'admin.report.firstAndLast')}</dt><dd>${firstAt === lastAt ? firstAt : `${firstAt}, ${lastAt}`}</dd>
${outcome ? html`<dt>${t('admin.report.resolved')}</dt><dd>${t('admin.report.settled', outcome)}</dd>` : null}
</dl>`,
    renderComments(texts, timeZone),
    settled ? null : renderDecisions(frame, report, { hosts, isOwn: account.id === ownAccountId }),
  ])
}

/** Renders the comments of reporters. */
export function renderComments(texts: LinkReport['texts'], timeZone: string): SafeHtml | null {
  if (texts.length === 0) return null
  return html`<details><summary>${t('admin.report.comments', { count: formatCount(texts.length) })}</summary>
<ul class="plain">${texts.map(
    ({ reason, text, at }) =>
      html`<li><span class="small soft">${t(`admin.report.reasons.${reason}`)}, ${formatMoment(at, timeZone)}</span><blockquote class="said" dir="auto">${text}</blockquote></li>`,
  )}</ul></details>`
}

function renderDecisions(
  frame: Frame,
  { id, link, account }: LinkReport,
  { hosts, isOwn }: { hosts: readonly string[]; isOwn: boolean },
): SafeHtml | null {
  const subject = shortLinkText(link.shortUrl)
  const blockText = hosts.length > 1 ? 'admin.report.blockHost' : 'admin.report.blockItsHost'
  return renderDecisionForm(
    frame,
    `${PATH}/${id}`,
    [
      renderDecision(['decision', 'disable'], t('admin.report.disable'), {
        subject,
        className: 'button danger small',
      }),
      ...hosts
        .slice(0, MAX_BUTTONS)
        .map((host) => renderDecision(['block', host], t(blockText, { host }))),
      isOwn
        ? null
        : renderDecision(
            ['decision', 'suspend'],
            t('admin.report.suspend', { account: account.username }),
          ),
      renderDecision(['decision', 'dismiss'], t('admin.report.dismiss'), { subject }),
    ],
    // The decision applies only to the destinations shown.
    { seen: hashDestinations(link.destinations) },
  )
}

/** Returns the counts per reason: `2 × phishing, 1 × spam`. */
export function describeCounts(counts: LinkReport['counts']): string {
  const reportedReasons = REPORT_REASONS.filter((reason) => counts[reason] > 0)
  return reportedReasons
    .map((reason) => `${formatCount(counts[reason])} × ${t(`admin.report.reasons.${reason}`)}`)
    .join(', ')
}

function getState({ link, account }: LinkReport): string {
  if (link.status === null) return t('admin.report.states.deleted')
  if (account.suspended) return t('admin.report.states.suspended')
  if (link.status === 'disabled') return t('admin.report.states.disabled')
  const { blocked, destinations } = link
  if (blocked === 'some') return t('admin.report.states.someBlocked')
  if (blocked === 'none') return t('admin.report.states.active')
  return listHosts(destinations).length > 1
    ? t('admin.report.states.allBlocked')
    : t('admin.report.states.blocked')
}
