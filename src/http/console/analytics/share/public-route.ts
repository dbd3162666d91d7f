import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { getCampaign, getCampaignLinkIds } from '../../../../campaigns/campaign.service.ts'
import type { HttpContext } from '../../../../context.ts'
import { AppError } from '../../../../errors.ts'
import { getLink } from '../../../../links/link.service.ts'
import { shortLinkText } from '../../../../pages/short-link-text.ts'
import { openPage } from '../../../../shared-statistics/shared-statistics.service.ts'
import { type SharedPage, toSharedPath } from '../../../../shared-statistics/shared-statistics.ts'
import { sendNotFound } from '../../../html/not-found.ts'
import { pageRoute } from '../../../html/page-route.ts'
import { sendPage } from '../../../html/send-page.ts'
import { MAX_COUNTRIES } from '../analytics.ts'
import { DEFAULT_LABELS, readPageState, readPageStatistics } from '../read.ts'
import { chooseStatus } from '../section.ts'
import type { Query } from '../state.ts'
import type { Subject } from '../subject.ts'
import { renderSharedPage } from './page.ts'

type Request = FastifyRequest<{ Params: { token: string }; Querystring: Record<string, unknown> }>

/** The parameters of a public page. Filters would reveal much more than was shared. */
const PARAMETERS = ['period', 'from', 'to', 'interval', 'compare', 'metric', 'tab']

/** Registers the public pages with the statistics of a link or campaign. */
export function registerSharedStatisticsRoute(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageRoute,
    url: '/shared/:token',
    handler: async (request: Request, reply) => {
      try {
        return await sendStatistics(request, reply)
      } catch (error) {
        const isUnknown = error instanceof AppError && error.code === 'not_found'
        if (isUnknown) return sendNotFound(ctx, reply, { kind: 'service' })
        throw error
      }
    },
  })

  async function sendStatistics({ params, query, ip }: Request, reply: FastifyReply) {
    const { token } = params
    const page = await openPage(ctx, ctx.db, token, ip)
    const subject = await readSubject(ctx, page, toSharedPath(token))
    const pageState = await readPageState(ctx, subject, selectParameters(query), page.timeZone)
    const limit = pageState.state.tabs.includes('map') ? MAX_COUNTRIES : DEFAULT_LABELS
    const outcome = await readPageStatistics(ctx, pageState, {
      limit,
      withPrevious: true,
      isShared: true,
    })
    const common = { pageState, outcome, now: ctx.clock(), credit: ctx.country.credit() }
    const status = chooseStatus({ pageState, outcome })
    return sendPage(reply, (nonce) => renderSharedPage({ ...common, nonce }), {
      status,
    })
  }
}

async function readSubject(
  ctx: HttpContext,
  { accountId, subject }: SharedPage,
  path: string,
): Promise<Subject> {
  const { kind, id } = subject
  const common = { kind, id, path, section: '/console/analytics' } as const
  if (kind === 'link') {
    const { shortUrl, createdAt } = await getLink(ctx, ctx.db, accountId, id)
    const scope = { accountId, linkIds: [id] }
    return { ...common, name: shortLinkText(shortUrl), createdAt, scope }
  }
  const [{ name }, linkIds] = await Promise.all([
    getCampaign(ctx.db, accountId, id),
    getCampaignLinkIds(ctx.db, accountId, id),
  ])
  return { ...common, name, scope: { accountId, linkIds } }
}

/** Returns a query without the parameters that a public page does not support. */
function selectParameters(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => PARAMETERS.includes(name)))
}
