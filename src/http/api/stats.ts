import { type Static, Type } from '@sinclair/typebox'
import { stringify } from 'csv-stringify/sync'
import type { FastifyReply } from 'fastify'
import {
  type ClickScope,
  formatDay,
  readComparison,
  readFilters,
  readPeriod,
  readStatistics,
  readZone,
  SCAN_LABEL,
  type StatisticsView,
  toLocalTime,
  type ViewInput,
} from '../../clicks/read.ts'
import type { HttpContext } from '../../context.ts'
import { invalid } from '../../errors.ts'
import { getLink } from '../../links/link.service.ts'
import { readLinkNames } from '../../links/link-list.service.ts'
import { getQrCode } from '../../qr/qr.service.ts'
import { getCampaignLinkIds } from '../../resources/campaign-links.ts'
import { getChannelLinkIds } from '../../resources/channel-items.ts'
import type { Scope } from '../../scope.ts'
import { findCountryCode } from '../../visitors/country-names.ts'
import { parsePathId } from '../request/path-id.ts'
import type { ApiApp } from './api-app.ts'
import { addErrorReplies } from './schemas.ts'
import {
  type LinkEntry,
  presentNotCounted,
  Stats,
  StatsQuery,
  StatsWithLinks,
} from './stats-schemas.ts'

const tags = ['statistics over time']
const DEFAULT_LABELS = 10
const MAX_LABELS = 1000

const Params = Type.Object({ id: Type.String() })

type Query = Static<typeof StatsQuery>
type Subject = {
  data: typeof Stats | typeof StatsWithLinks
  /** Whether keys that are bound to a domain have access. */
  boundKeys?: true
  /** Returns the links whose clicks count, and additional filters. */
  select: (
    scope: Scope<HttpContext>,
    id: number,
  ) => Promise<{ linkIds: number[]; filters?: ViewInput['filters'] }>
}
/** The parsed query. `tz` is the time zone that the client sent, if any. */
type StatsRequest = Omit<ViewInput, 'scope'> & { tz: string | undefined; isCsv: boolean }

/**
 * Registers the routes for statistics over time: of links, QR codes, campaigns, channels and the
 * account.
 */
export function registerStatsRoutes(app: ApiApp, ctx: HttpContext): void {
  const { clock, db } = ctx

  register('/url/:id/stats', 'Get statistics of a link over time', {
    data: Stats,
    boundKeys: true,
    select: async (scope, id) => ({ linkIds: [(await getLink(scope, id)).id] }),
  })
  register('/qr/:id/stats', 'Get scans of a QR code over time', {
    data: Stats,
    async select(scope, id) {
      const { linkId, usesAccountLink } = await getQrCode(scope, id)
      const linkIds = linkId === null ? [] : [linkId]
      return { linkIds, ...(usesAccountLink && { filters: { source: [SCAN_LABEL] } }) }
    },
  })
  register('/campaign/:id/stats', 'Get statistics of a campaign over time', {
    data: StatsWithLinks,
    select: async (scope, id) => ({ linkIds: await getCampaignLinkIds(scope, id) }),
  })
  register('/channel/:id/stats', 'Get statistics of a channel over time', {
    data: StatsWithLinks,
    select: async (scope, id) => ({ linkIds: await getChannelLinkIds(scope, id) }),
  })

  app.get(
    '/stats',
    {
      config: { access: { scope: 'read' } },
      schema: createSchema('Get statistics of the account over time', StatsWithLinks),
    },
    async ({ scope, query }, reply) => {
      const statsRequest = readQuery(query)
      const statistics = await readView({ accountId: scope.accountId }, statsRequest)
      return sendStatistics(reply, statsRequest, await addLinkNames(scope, statistics))
    },
  )

  /** Registers the route for statistics of something with an id. */
  function register(url: string, summary: string, { data, boundKeys, select }: Subject): void {
    const access = { scope: 'read', ...(boundKeys && { boundKeys }) } as const
    const schema = { ...createSchema(summary, data), params: Params }
    app.get(url, { config: { access }, schema }, async ({ scope, params, query }, reply) => {
      const statsRequest = readQuery(query)
      const { linkIds, filters } = await select(scope, parsePathId(params.id))
      const view = { ...statsRequest, filters: { ...statsRequest.filters, ...filters } }
      const statistics = await readView({ accountId: scope.accountId, linkIds }, view)
      const { links: _, ...withoutLinks } = statistics
      const shown = data === Stats ? withoutLinks : await addLinkNames(scope, statistics)
      return sendStatistics(reply, statsRequest, shown)
    })
  }

  function readQuery({ limit, format, tz, compare, ...query }: Query): StatsRequest {
    if (format !== undefined && !/^(?:|json|csv)$/.test(format)) {
      throw invalid('format', 'json_or_csv')
    }
    const zone = readZone(tz)
    return {
      period: readPeriod(query, new Date(toLocalTime(zone, clock().getTime()))),
      zone,
      tz: tz || undefined,
      filters: readFilters(query),
      compare: readComparison(compare),
      limit: readLimit(limit),
      isCsv: format === 'csv',
    }
  }

  function readView(scope: ClickScope, statsRequest: StatsRequest): Promise<StatisticsView> {
    return readStatistics(ctx, db, { ...statsRequest, scope })
  }

  /** Adds the names of links. Omits links deleted in the meantime. */
  async function addLinkNames(scope: Scope<HttpContext>, statistics: StatisticsView) {
    const names = await readLinkNames(
      scope,
      statistics.links.map(({ linkId }) => linkId),
    )
    const links = statistics.links.flatMap(({ linkId, ...counts }) => {
      const name = names.get(linkId)
      return name ? [{ id: linkId, alias: name.alias, shorturl: name.shortUrl, ...counts }] : []
    })
    return { ...statistics, links }
  }
}

function createSchema<Data extends typeof Stats | typeof StatsWithLinks>(
  summary: string,
  data: Data,
) {
  const json = addErrorReplies(Type.Object({ error: Type.Literal(0), data }))
  return {
    tags,
    summary,
    querystring: StatsQuery,
    response: {
      ...json,
      200: {
        description: 'Statistics of the period.',
        content: {
          'application/json': { schema: json[200] },
          'text/csv': { schema: Type.String() },
        },
      },
    },
  }
}

type ReplyStatistics = Omit<StatisticsView, 'links'> & {
  links?: Static<typeof LinkEntry>[]
}

function sendStatistics(
  reply: FastifyReply,
  statsRequest: StatsRequest,
  statistics: ReplyStatistics,
): FastifyReply {
  if (statsRequest.isCsv)
    return reply.type('text/csv; charset=utf-8').send(formatTimelineCsv(statistics))
  return reply
    .type('application/json; charset=utf-8')
    .send({ error: 0, data: present(statsRequest, statistics) })
}

function formatTimelineCsv({ timeline, comparison }: ReplyStatistics): string {
  const columns = ['start', 'clicks', 'newVisitors']
  if (!comparison) return stringify(timeline, { header: true, bom: true, columns })
  const comparisonColumns = ['comparisonStart', 'comparisonClicks', 'comparisonNewVisitors']
  const rows = timeline.map(({ comparison: comparisonStep, ...step }) => ({
    ...step,
    comparisonStart: comparisonStep?.start,
    comparisonClicks: comparisonStep?.clicks,
    comparisonNewVisitors: comparisonStep?.newVisitors,
  }))
  return stringify(rows, { header: true, bom: true, columns: [...columns, ...comparisonColumns] })
}

function present(
  { period, tz }: StatsRequest,
  { countries, unmatchableClicks, notCounted, ...statistics }: ReplyStatistics,
) {
  const { from, to, interval } = period
  return {
    from: formatDay(from),
    to: formatDay(to),
    interval,
    tz,
    ...statistics,
    ...(unmatchableClicks !== undefined && { leftOut: unmatchableClicks }),
    ...(notCounted && { notCounted: presentNotCounted(notCounted) }),
    countries: countries.map((country) => ({
      ...country,
      code: findCountryCode(country.label) ?? '',
    })),
  }
}

function readLimit(value: string | undefined): number {
  if (value === undefined || value === '') return DEFAULT_LABELS
  const limit = /^\d{1,4}$/.test(value) ? Number(value) : 0
  if (limit < 1 || limit > MAX_LABELS) {
    throw invalid('limit', 'whole_number_range', { min: 1, max: MAX_LABELS })
  }
  return limit
}
