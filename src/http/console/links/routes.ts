import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { listCampaigns } from '../../../campaigns/campaign.service.ts'
import { dayOf, ifAvailable, readDailyClicks } from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { listDomains } from '../../../domains/domain.service.ts'
import { AppError } from '../../../errors.ts'
import type { LinkEntry } from '../../../links/link.ts'
import { listLinks, matchesMoreThan } from '../../../links/link-list.service.ts'
import { hostOf } from '../../../pages/safe-url.ts'
import { listTagNames } from '../../../tags/tag.service.ts'
import { describeLabeledError } from '../errors/labeled-error.ts'
import { pageFor } from '../kit/roles.ts'
import { describeStatus } from '../link/status.ts'
import { formatDay } from '../shell/format-day.ts'
import { sendConsolePage } from '../shell/send.ts'
import { describeOutcome } from './outcome.ts'
import { renderLinksPage } from './page.ts'
import type { LinkRow } from './row.ts'
import { buildUrl, isNarrowed, ORDERS, readView, toLinkFilter, type View } from './view.ts'

type ListRequest = FastifyRequest<{ Querystring: Record<string, unknown> }>

const PER_PAGE = 25
/** The number of days with daily clicks in each row. */
const RECENT_DAYS = 30
/**
 * The maximum number of tags to select from. Other tags can be selected in the rows of their links.
 */
const MAX_TAG_CHOICES = 200
/** The domains and campaigns to select from. */
const CHOICES_PAGE = { limit: 200, offset: 0 }

/** Registers the route of the list of links that match the search and the filters. */
export function registerLinkListRoute(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageFor('viewer'),
    url: '/links',
    handler: async ({ query }: ListRequest, reply) => {
      const notice = describeOutcome(query.done)
      return sendList(ctx, reply, readView(query), notice ? { notice } : {})
    },
  })
}

/** The maximum number of search results that one action changes. */
export const MAX_CHANGED = 100_000

type Feedback = { notice?: string; error?: string; status?: number }

/**
 * Sends a view of the list, with a notice or an error above it. Redirects to the last page if the
 * view's page is after it. An invalid search shows an error instead of results.
 */
export async function sendList(
  ctx: HttpContext,
  reply: FastifyReply,
  view: View,
  { notice, error, status = 200 }: Feedback = {},
): Promise<FastifyReply> {
  const { account } = reply.request.session
  const [results, tags, domains, campaigns] = await Promise.all([
    readEntries(ctx, account.id, view),
    listTagNames(ctx.db, account.id, MAX_TAG_CHOICES),
    listDomains(ctx.db, account.id, CHOICES_PAGE),
    listCampaigns(ctx.db, account.id, CHOICES_PAGE),
  ])
  const lastPage = Math.max(1, Math.ceil(results.total / PER_PAGE))
  if (view.page > lastPage) return reply.redirect(buildUrl({ ...view, page: lastPage }), 303)
  const areAllOffered = lastPage > 1 && (await mayChangeAll(ctx, account.id, view, results))
  const rows = await toRows(ctx, results.entries, reply.request.session.user.timeZone)
  return sendConsolePage(
    reply,
    (frame) =>
      renderLinksPage(frame, {
        rows,
        total: results.total,
        hasMore: results.hasMore ?? false,
        continueUrl: results.readTo
          ? buildUrl({ ...view, after: String(results.readTo), page: 1 })
          : undefined,
        areAllOffered,
        view,
        tags,
        domains: domains.entries,
        campaigns: campaigns.entries,
        isNarrowed: isNarrowed(view),
        isLinkCheckEnabled: ctx.config.linkCheck,
        listUrl: buildUrl(view),
        urlWithTag: (tag) => buildUrl({ ...view, tag, page: 1 }),
        urlWithSort: (sort) => buildUrl({ ...view, sort, page: 1 }),
        previousPage: view.page > 1 ? buildUrl({ ...view, page: view.page - 1 }) : undefined,
        nextPage:
          view.page < lastPage || (results.hasMore && results.readTo === undefined)
            ? buildUrl({ ...view, page: view.page + 1 })
            : undefined,
        lastPage,
        notice,
        error: error ?? results.error,
      }),
    { status: results.error ? 422 : status },
  )
}

/** Returns the links of a view's page, or the error of an invalid search. */
async function readEntries(ctx: HttpContext, accountId: number, view: View) {
  const { sort, page } = view
  const filter = toLinkFilter(view)
  const order = ORDERS[sort]
  try {
    const query = { order, limit: PER_PAGE, offset: (page - 1) * PER_PAGE, filter }
    const results = await listLinks(ctx, ctx.db, accountId, { ...query, limitCount: true })
    return { readTo: undefined, ...results, error: undefined }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_input') throw error
    return {
      entries: [],
      total: 0,
      hasMore: false,
      readTo: undefined,
      error: describeLabeledError(error),
    }
  }
}

/** Returns whether the actions may apply to all results: they are all known, and not too many. */
async function mayChangeAll(
  ctx: HttpContext,
  accountId: number,
  view: View,
  { total, hasMore, readTo }: Awaited<ReturnType<typeof readEntries>>,
): Promise<boolean> {
  if (readTo !== undefined || view.after !== '') return false
  if (!hasMore) return total <= MAX_CHANGED
  return !(await matchesMoreThan(ctx, ctx.db, accountId, toLinkFilter(view), MAX_CHANGED))
}

async function toRows(
  ctx: HttpContext,
  entries: readonly LinkEntry[],
  timeZone: string,
): Promise<LinkRow[]> {
  const { blockList, clock } = ctx
  const now = clock()
  const hosts = await blockList.current()
  const today = dayOf(now)
  const period = { from: today - RECENT_DAYS + 1, to: today }
  const ids = entries.map(({ id }) => id)
  const dailyClicks = await ifAvailable(readDailyClicks(ctx.db, ids, period))
  return entries.map((entry) => ({
    id: entry.id,
    shortUrl: entry.shortUrl,
    url: entry.url,
    host: hostOf(entry.url),
    title: entry.metaTitle,
    tags: entry.tags,
    clicks: entry.clicks,
    dailyClicks: dailyClicks?.get(entry.id),
    status: describeStatus({ ...entry, hasPassword: false }, now, { hosts, zone: timeZone }),
    isArchived: entry.archivedAt !== null,
    created: { at: entry.createdAt.toISOString(), text: formatDay(entry.createdAt, now, timeZone) },
  }))
}
