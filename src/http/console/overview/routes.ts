import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { dayOf, ifAvailable, listSteps, readAccountCounts } from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { addScheme } from '../../../destination-url.ts'
import type { AppError } from '../../../errors.ts'
import { createLink, getLink } from '../../../links/link.service.ts'
import { listLinks, readLinkNames } from '../../../links/link-list.service.ts'
import { toAppError } from '../../errors.ts'
import { formatStep } from '../analytics/format-period.ts'
import { describeFormError } from '../errors/labeled-error.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { createActingContext } from '../shell/acting.ts'
import { readFields, sendConsolePage } from '../shell/send.ts'
import type { ChartStep } from '../shell/time-chart.ts'
import { type Overview, renderOverviewPage } from './page.ts'

type OverviewRequest = FastifyRequest<{ Querystring: { made?: unknown } }>

/** The number of days of the statistics. */
const DAYS = 30
/** The number of links in each list. */
const LIST_LENGTH = 5

/** Registers the routes of the overview and of its form, which creates a link. */
export function registerOverviewRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { clock } = ctx

  app.route({
    ...pageFor('viewer'),
    url: '/',
    handler: async (request: OverviewRequest, reply) => {
      const newLink = await findNewLink(request.session.account.id, request.query.made)
      return sendOverview(reply, { newLink, form: {} })
    },
  })

  app.post('/links', formFor('editor'), async (request, reply) => {
    const { url, alias } = readFields(request.body, ['url', 'alias'])
    try {
      const { id } = await createLink(
        createActingContext(ctx, request),
        ctx.db,
        request.session.account.id,
        { url: addScheme(url), alias: alias.trim() },
      )
      return reply.redirect(`/console?made=${id}`, 303)
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.status >= 500) throw rejection
      const field = findErrorField(rejection)
      const form = { url, alias, errors: { [field]: describeFormError(field, rejection) } }
      return sendOverview(reply, { form }, field === 'form' ? rejection.status : 422)
    }
  })

  async function sendOverview(
    reply: FastifyReply,
    { newLink, form }: Pick<Overview, 'newLink' | 'form'>,
    status = 200,
  ) {
    const { account } = reply.request.session
    const today = dayOf(clock())
    const period = { from: today - DAYS + 1, to: today, interval: 'day' } as const
    const previousPeriod = { from: period.from - DAYS, to: today - DAYS, interval: 'day' } as const
    const [counts, previousCounts, { entries }] = await Promise.all([
      ifAvailable(readAccountCounts(ctx.db, account.id, period, LIST_LENGTH)),
      ifAvailable(readAccountCounts(ctx.db, account.id, previousPeriod, 0)),
      listLinks(ctx, ctx.db, account.id, { order: 'date', limit: LIST_LENGTH, offset: 0 }),
    ])
    const topLinks = counts?.links ?? []
    const names = await readLinkNames(
      ctx,
      ctx.db,
      account.id,
      topLinks.map(({ linkId }) => linkId),
    )
    const steps = listSteps(period).map(
      (step, index): ChartStep => ({
        ...formatStep(step, period),
        clicks: counts?.timeline[index]?.clicks ?? 0,
        state: index === DAYS - 1 ? 'open' : 'ended',
      }),
    )
    const overview: Overview = {
      form,
      newLink,
      clicks: counts &&
        previousCounts && { total: counts.clicks, before: previousCounts.clicks, steps },
      newest: entries.map(({ id, shortUrl, url, clicks }) => ({ id, shortUrl, url, clicks })),
      top:
        counts &&
        topLinks.flatMap(({ linkId: id, clicks }) => {
          const name = names.get(id)
          return name ? [{ id, shortUrl: name.shortUrl, clicks }] : []
        }),
    }
    return sendConsolePage(reply, (frame) => renderOverviewPage(frame, overview), { status })
  }

  /** Returns the link with the id in the query, if it exists in the account. */
  async function findNewLink(accountId: number, value: unknown): Promise<Overview['newLink']> {
    if (typeof value !== 'string' || !/^[1-9]\d{0,14}$/.test(value)) return undefined
    const id = Number(value)
    const name = (await readLinkNames(ctx, ctx.db, accountId, [id])).get(id)
    return name && getLink(ctx, ctx.db, accountId, id)
  }
}

/** Returns the name of the form field that an error belongs to, or `form` if it belongs to none. */
function findErrorField({ code, field }: AppError): 'url' | 'alias' | 'form' {
  if (code === 'alias_taken' || field === 'alias') return 'alias'
  return field === 'url' ? 'url' : 'form'
}
