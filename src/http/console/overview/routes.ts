import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { dayOf, ifAvailable, listSteps, readAccountCounts } from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { createLink, getLink } from '../../../links/link.service.ts'
import { listLinks, readLinkNames } from '../../../links/link-list.service.ts'
import { addScheme } from '../../../target-url.ts'
import { toAppError } from '../../errors.ts'
import { pageRoute } from '../../html/page-route.ts'
import { formatStep } from '../analytics/format-period.ts'
import { describeFormError } from '../errors/labeled-error.ts'
import { createActingContext } from '../shell/acting.ts'
import { readFields, sendConsolePage } from '../shell/send.ts'
import type { ChartStep } from '../shell/time-chart.ts'
import { type CreateForm, type Overview, renderOverviewPage } from './page.ts'

type OverviewRequest = FastifyRequest<{ Querystring: { made?: unknown } }>

const DAYS = 30
const LIST_LENGTH = 5

/** Registers the routes of the overview, with the form that creates a link. */
export function registerOverviewRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { clock } = ctx

  app.route({
    ...pageRoute,
    url: '/',
    handler: async (request: OverviewRequest, reply) => {
      const made = await findLink(request.session.account.id, request.query.made)
      return sendOverview(reply, { made, form: {} })
    },
  })

  app.post('/links', { schema: { hide: true } }, async (request, reply) => {
    const { url, alias } = readFields(request.body, ['url', 'alias'])
    try {
      const { id } = await createLink(
        createActingContext(ctx, request),
        ctx.db,
        request.session.account.id,
        {
          url: addScheme(url),
          alias: alias.trim(),
        },
      )
      return reply.redirect(`/console?made=${id}`, 303)
    } catch (error) {
      const rejection = toAppError(error, request.log)
      if (rejection.status >= 500) throw rejection
      const { code, field } = rejection
      const at =
        code === 'alias_taken' || field === 'alias' ? 'alias' : field === 'url' ? 'url' : 'form'
      const form = { url, alias, errors: { [at]: describeFormError(at, rejection) } }
      return sendOverview(reply, { form }, at === 'form' ? rejection.status : 422)
    }
  })

  async function sendOverview(
    reply: FastifyReply,
    { made, form }: { made?: Overview['newLink']; form: CreateForm },
    status = 200,
  ) {
    const { account } = reply.request.session
    const to = dayOf(clock())
    const now = { from: to - DAYS + 1, to, interval: 'day' } as const
    const earlier = { from: to - 2 * DAYS + 1, to: to - DAYS, interval: 'day' } as const
    const [found, before, { entries }] = await Promise.all([
      ifAvailable(readAccountCounts(ctx.db, account.id, now, LIST_LENGTH)),
      ifAvailable(readAccountCounts(ctx.db, account.id, earlier, 0)),
      listLinks(ctx, ctx.db, account.id, { order: 'date', limit: LIST_LENGTH, offset: 0 }),
    ])
    const names = await readLinkNames(
      ctx,
      ctx.db,
      account.id,
      found?.links.map(({ linkId }) => linkId) ?? [],
    )
    const overview = {
      form,
      made,
      clicks: found &&
        before && {
          total: found.clicks,
          before: before.clicks,
          steps: listSteps(now).map(
            (step, index): ChartStep => ({
              ...formatStep(step, now),
              clicks: found.timeline[index]?.clicks ?? 0,
              state: index === DAYS - 1 ? 'open' : 'ended',
            }),
          ),
        },
      newest: entries.map(({ id, shortUrl, url, clicks }) => ({ id, shortUrl, url, clicks })),
      top: found?.links.flatMap(({ linkId: id, clicks }) => {
        const name = names.get(id)
        return name ? [{ id, shortUrl: name.shortUrl, clicks }] : []
      }),
    }
    return sendConsolePage(reply, (frame) => renderOverviewPage(frame, overview), { status })
  }

  /** Returns the link that was just created, by the id in the URL, if it is the account's. */
  async function findLink(accountId: number, value: unknown): Promise<Overview['newLink']> {
    if (typeof value !== 'string' || !/^[1-9]\d{0,14}$/.test(value)) return undefined
    const id = Number(value)
    const name = (await readLinkNames(ctx, ctx.db, accountId, [id])).get(id)
    if (!name) return undefined
    return getLink(ctx, ctx.db, accountId, id)
  }
}
