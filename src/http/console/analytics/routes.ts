import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { findTagWithLinks } from '../../../tags/tag.service.ts'
import { t } from '../../../texts.ts'
import { pageFor } from '../kit/roles.ts'
import { sendConsolePage } from '../shell/send.ts'
import { type AnalyticsRequest, loadAnalytics } from './analytics.ts'
import { type ListPath, listPathNames, listPaths } from './cards.ts'
import { listRows, listTimelineRows, sendCsv } from './csv.ts'
import { renderListPage } from './list-page.ts'
import { renderAccountPage } from './page.ts'
import { type PageStatistics, readPageState, readPageStatistics } from './read.ts'
import { chooseStatus } from './section.ts'
import type { Subject } from './subject.ts'

/** The maximum number of labels or links on a list's page and in its file. */
const MAX_LABELS = 1000

/** Returns the subject of a request. Throws `not_found`. */
type FindSubject = (request: AnalyticsRequest) => Promise<Subject>

/** Registers the statistics of an account and of the links with a tag. */
export function registerAnalyticsRoutes(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageFor('viewer'),
    url: '/analytics',
    handler: async (request: AnalyticsRequest, reply) => {
      const analytics = await loadAnalytics(ctx, request, await findSubject(request))
      return sendConsolePage(reply, (frame) => renderAccountPage(frame, analytics), {
        status: chooseStatus(analytics),
      })
    },
  })
  registerListRoutes(app, ctx, '/analytics', findSubject)

  async function findSubject({ session, query }: AnalyticsRequest): Promise<Subject> {
    const { account } = session
    const page = { path: '/console/analytics', section: '/console/analytics' } as const
    const { tag } = query
    if (typeof tag !== 'string' || tag.trim() === '') {
      const name = t('analytics.allLinks')
      return { ...page, kind: 'account', id: account.id, name, scope: { accountId: account.id } }
    }
    const { id, name, linkIds } = await findTagWithLinks(ctx.db, account.id, tag)
    const scope = { accountId: account.id, linkIds }
    return { ...page, kind: 'tag', id, name, scope, extraParameters: [['tag', name]] }
  }
}

/**
 * Registers the routes of the lists of a statistics page, as pages and CSV files, and of the timeline
 * as a CSV file.
 */
export function registerListRoutes(
  app: FastifyInstance,
  ctx: HttpContext,
  root: string,
  findSubject: FindSubject,
): void {
  for (const path of listPathNames) {
    const list = listPaths[path]
    app.route({
      ...pageFor('viewer'),
      url: `${root}/${path}`,
      handler: async (request: AnalyticsRequest, reply) => sendList(request, reply, path),
    })
    app.route({
      ...pageFor('viewer'),
      url: `${root}/${path}.csv`,
      handler: async (request: AnalyticsRequest, reply) => {
        const { subject, statistics } = await readFileStatistics(request)
        return sendCsv(reply, `${subject.kind}-${subject.id}-${path}`, listRows(list, statistics))
      },
    })
  }

  app.route({
    ...pageFor('viewer'),
    url: `${root}/timeline.csv`,
    handler: async (request: AnalyticsRequest, reply) => {
      const { subject, statistics } = await readFileStatistics(request)
      return sendCsv(reply, `${subject.kind}-${subject.id}-timeline`, listTimelineRows(statistics))
    },
  })

  async function sendList(request: AnalyticsRequest, reply: FastifyReply, path: ListPath) {
    const subject = await findSubject(request)
    const zone = request.session.user.timeZone
    const listSubject = { ...subject, path: `${subject.path}/${path}` }
    const pageState = await readPageState(ctx, listSubject, request.query, zone)
    const outcome = await readPageStatistics(ctx, pageState, { limit: MAX_LABELS })
    const backUrl = pageState.buildHref().replace(listSubject.path, subject.path)
    const status = chooseStatus({ pageState, outcome })
    return sendConsolePage(
      reply,
      (frame) =>
        renderListPage(frame, {
          path,
          pageState,
          outcome,
          backUrl,
          limit: MAX_LABELS,
          credit: ctx.country.credit(),
        }),
      { status },
    )
  }

  /** Reads the statistics for a file. Throws problems, because a file cannot contain messages. */
  async function readFileStatistics(
    request: AnalyticsRequest,
  ): Promise<{ subject: Subject; statistics: PageStatistics }> {
    const subject = await findSubject(request)
    const pageState = await readPageState(
      ctx,
      subject,
      request.query,
      request.session.user.timeZone,
    )
    if (pageState.error !== undefined)
      throw new AppError('invalid_input', { message: pageState.error })
    const outcome = await readPageStatistics(ctx, pageState, { limit: MAX_LABELS })
    if ('statistics' in outcome) return { subject, statistics: outcome.statistics }
    if ('unavailable' in outcome) throw new AppError('database_unavailable')
    const { text, status } = outcome.problem
    throw new AppError(status === 503 ? 'busy' : 'invalid_input', { message: text })
  }
}
