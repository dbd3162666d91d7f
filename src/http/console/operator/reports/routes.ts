import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../../context.ts'
import { AppError } from '../../../../errors.ts'
import { hashDestinations, listHosts } from '../../../../links/link-destinations.ts'
import { decideReport } from '../../../../operator/report-actions.service.ts'
import { listReports } from '../../../../reports/report.service.ts'
import {
  DECISIONS,
  type Decision,
  type LinkReport,
  REPORT_REASONS,
} from '../../../../reports/report.ts'
import { t } from '../../../../texts.ts'
import { toAppError } from '../../../errors.ts'
import { parsePathId } from '../../../request/path-id.ts'
import { describeLabeledError } from '../../errors/labeled-error.ts'
import { formFor, pageFor } from '../../kit/roles.ts'
import { formatCount } from '../../shell/format-count.ts'
import { formatMoment } from '../../shell/format-day.ts'
import { readFields, sendConsolePage } from '../../shell/send.ts'
import { buildPath, readPositiveInteger, readText } from '../query.ts'
import { type ReportsPage, type ReportView, renderReportsPage } from './page.ts'

const PATH = '/console/operator/reports'
const PER_PAGE = 25

/** Errors shown above the current reports. */
const EXPECTED_ERRORS: ReadonlySet<string> = new Set([
  'not_found',
  'forbidden',
  'link_changed',
  'last_admin',
])

/** Registers the routes of visitors' reports and admins' decisions. */
export function registerReportRoutes(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageFor('viewer'),
    url: '/reports',
    handler: (request, reply) => sendReports(request, reply),
  })
  app.post('/reports/:id', formFor('viewer'), decide)

  async function decide(
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const { params, body, session } = request
    const id = parsePathId(params.id)
    const { decision: decisionText, block, seen } = readFields(body, ['decision', 'block', 'seen'])
    const host = block === '' ? undefined : block
    const decision = host === undefined ? parseDecision(decisionText) : 'block'
    if (!decision) throw new AppError('invalid_input', t('admin.chooseAction'))
    try {
      await decideReport(ctx, ctx.db, session.user.email, id, {
        decision,
        seen,
        host,
      })
      return reply.redirect(`${PATH}?done=${decision}`, 303)
    } catch (error) {
      const rejection = toAppError(error, reply.request)
      if (!EXPECTED_ERRORS.has(rejection.code)) throw rejection
      return sendReports(request, reply, rejection)
    }
  }

  async function sendReports(request: FastifyRequest, reply: FastifyReply, rejection?: AppError) {
    const { query, session } = request
    const settled = readText(query, 'show') === 'settled'
    const page = readPositiveInteger(query, 'page') ?? 1
    const slice = { limit: PER_PAGE, offset: (page - 1) * PER_PAGE }
    const { entries, total } = await listReports(ctx, ctx.db, { settled }, slice)
    const decision = parseDecision(readText(query, 'done'))
    const view: ReportsPage = {
      reports: entries.map((report) => present(report, session.account.id, session.user.timeZone)),
      showsSettled: settled,
      total,
      page,
      limit: PER_PAGE,
      notice: decision && t(`admin.report.done.${decision}`),
      error: rejection && describeLabeledError(rejection),
      hrefOf: (other) =>
        buildPath(PATH, {
          show: settled ? 'settled' : undefined,
          page: other === 1 ? undefined : other,
        }),
    }
    const { status = 200 } = rejection ?? {}
    return sendConsolePage(reply, (frame) => renderReportsPage(frame, view), { status })
  }
}

function parseDecision(text: string): Decision | undefined {
  return DECISIONS.find((candidate) => candidate === text)
}

function present(report: LinkReport, ownAccountId: number, zone: string): ReportView {
  const { id, link, account, counts, firstAt, lastAt, texts, settled } = report
  return {
    id,
    shortUrl: link.shortUrl,
    destinations: link.destinations,
    hosts: listHosts([...link.destinations, ...link.formerDestinations]),
    formerDestinations: link.formerDestinations,
    seen: hashDestinations(link.destinations),
    state: getState(report),
    account: { id: account.id, username: account.username, isOwn: account.id === ownAccountId },
    counts: describeCounts(counts),
    firstAt: formatMoment(firstAt, zone),
    lastAt: formatMoment(lastAt, zone),
    texts: presentTexts(texts, zone),
    settled:
      settled === null
        ? undefined
        : t('admin.report.settled', {
            date: formatMoment(settled.at, zone),
            admin: settled.by,
            outcome: t(`admin.report.outcomes.${settled.decision}`),
          }),
  }
}

/** Returns the counts per reason: `2 × phishing, 1 × spam`. */
export function describeCounts(counts: LinkReport['counts']): string {
  const reportedReasons = REPORT_REASONS.filter((reason) => counts[reason] > 0)
  return reportedReasons
    .map((reason) => `${formatCount(counts[reason])} × ${t(`admin.report.reasons.${reason}`)}`)
    .join(', ')
}

export function presentTexts(texts: LinkReport['texts'], zone: string): ReportView['texts'] {
  return texts.map(({ reason, text, at }) => ({
    reason: t(`admin.report.reasons.${reason}`),
    text,
    at: formatMoment(at, zone),
  }))
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
