import { Type } from '@sinclair/typebox'
import {
  AUTOMATED_LABEL,
  comparisons,
  type FilterName,
  filterNames,
  filterOfList,
  formatDay,
  type LabelList,
  NOT_AUTOMATED_LABEL,
  readComparison,
  readFilters,
  readPeriod,
  readStatistics,
  readZone,
  type StatisticsView,
  toLocalTime,
} from '../../clicks/read.ts'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { requireAccess } from '../../identity/key-scope.ts'
import { getLink } from '../../links/link.service.ts'
import { titleOf } from '../../links/link.ts'
import { readLinkNames } from '../../links/link-list.service.ts'
import { getCampaignLinkIds } from '../../resources/campaign-links.ts'
import { campaigns } from '../../resources/campaigns.ts'
import type { Scope } from '../../scope.ts'
import { defineTool, LinkId } from './tool.ts'

const Day = Type.Optional(Type.String({ maxLength: 10, description: 'YYYY-MM-DD' }))
const Labels = Type.Optional(
  Type.Array(Type.String({ maxLength: 8192, format: 'text' }), { minItems: 1, maxItems: 50 }),
)
const filters = Object.fromEntries(filterNames.map((name) => [name, Labels])) as Record<
  FilterName,
  typeof Labels
>
const Choice = <const Name extends string>(names: readonly Name[]) =>
  Type.Optional(Type.Unsafe<Name>({ enum: [...names] }))

export const statisticsTool = defineTool({
  name: 'get_statistics',
  title: 'Get statistics',
  description:
    'Counts clicks in a period, by default the last 30 days: over time, and by country, referrer, browser, ' +
    'system, device and language. Of one link, one campaign, or the account. Filters keep clicks ' +
    'with one of the labels, such as {"country": ["DE"]}.',
  access: { scope: 'read', boundKeys: true },
  effect: 'reads',
  input: Type.Object({
    linkId: Type.Optional(LinkId),
    campaignId: Type.Optional(Type.Integer({ minimum: 1 })),
    from: Day,
    to: Day,
    interval: Choice(['hour', 'day', 'week', 'month']),
    timeZone: Type.Optional(
      Type.String({ maxLength: 100, description: 'IANA time zone of days. Default: UTC.' }),
    ),
    compare: Choice(comparisons),
    ...filters,
    automated: Choice([AUTOMATED_LABEL, NOT_AUTOMATED_LABEL]),
    labels: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 100, description: 'Entries per list. Default: 5.' }),
    ),
  }),
  async run({ ctx, scope, key, input }) {
    const { linkId, campaignId, timeZone, compare, labels = 5 } = input
    if (linkId !== undefined && campaignId !== undefined) {
      throw new AppError('invalid_input', { message: 'Give linkId or campaignId, not both' })
    }
    // As in the API, only the statistics of one link are limited to the domain of a key.
    if (linkId === undefined) requireAccess(key, { scope: 'read' })
    const subject = await readSubject(scope, { linkId, campaignId })
    const zone = readZone(timeZone)
    const period = readPeriod(input, new Date(toLocalTime(zone, scope.clock().getTime())))
    const statistics = await readStatistics(ctx, ctx.db, {
      scope: { accountId: scope.accountId, ...(subject.linkIds && { linkIds: subject.linkIds }) },
      period,
      zone,
      filters: readFilters(input),
      compare: readComparison(compare),
      limit: labels,
    })
    const { from, to, interval } = period
    const span = { from: formatDay(from), to: formatDay(to), interval, timeZone: zone }
    const links = linkId === undefined ? await nameLinks(scope, statistics) : undefined
    const data = { of: subject.name, ...span, ...present(statistics), ...(links && { links }) }
    return { text: format(data, statistics), data }
  },
})

type Subject = { linkId: number | undefined; campaignId: number | undefined }

/** Returns the name of what is counted, and the links whose clicks count, or undefined for all. */
async function readSubject(scope: Scope<HttpContext>, { linkId, campaignId }: Subject) {
  if (linkId !== undefined) {
    const link = await getLink(scope, linkId)
    return { name: `${link.shortUrl} “${titleOf(link)}”`, linkIds: [linkId] }
  }
  if (campaignId === undefined) return { name: 'the whole account' }
  const { name } = await campaigns.get(scope, campaignId)
  return { name: `campaign “${name}”`, linkIds: await getCampaignLinkIds(scope, campaignId) }
}

/** Returns the most clicked links by name. Omits links that were deleted in the meantime. */
async function nameLinks(scope: Scope<HttpContext>, { links }: StatisticsView) {
  const names = await readLinkNames(
    scope,
    links.map(({ linkId }) => linkId),
  )
  return links.flatMap(({ linkId, ...counts }) => {
    const name = names.get(linkId)
    return name ? { id: linkId, shortUrl: name.shortUrl, title: name.metaTitle, ...counts } : []
  })
}

/** Returns statistics with steps as lists, which are a third as long as objects. */
function present({ timeline, links: _, unmatchableClicks, ...statistics }: StatisticsView) {
  const isCompared = statistics.comparison !== undefined
  return {
    ...statistics,
    ...(unmatchableClicks !== undefined && { leftOut: unmatchableClicks }),
    timelineColumns: [
      'start',
      'clicks',
      'newVisitors',
      ...(isCompared ? ['comparisonClicks'] : []),
    ],
    timeline: timeline.map(({ start, clicks, newVisitors, comparison }) => [
      start,
      clicks,
      newVisitors,
      ...(isCompared ? [comparison?.clicks ?? null] : []),
    ]),
  }
}

const LISTS = Object.keys(filterOfList) as LabelList[]

type Shown = {
  of: string
  from: string
  to: string
  links?: { shortUrl: string; clicks: number }[]
}

function format({ of, from, to, links = [] }: Shown, statistics: StatisticsView): string {
  const { clicks, newVisitors, comparison } = statistics
  const compared =
    comparison && ` Compared: ${comparison.clicks} (${comparison.from} to ${comparison.to}).`
  const lists = LISTS.map((name) => formatList(name, statistics[name]))
  const top = links.map(({ shortUrl, clicks }) => ({ label: shortUrl, clicks }))
  return [
    `${of}, ${from} to ${to}: ${clicks} clicks, ${newVisitors} new visitors.${compared ?? ''}`,
    ...lists,
    formatList('links', top),
  ]
    .filter(Boolean)
    .join('\n')
}

function formatList(name: string, counts: readonly { label: string; clicks: number }[]): string {
  if (counts.length === 0) return ''
  return `${name}: ${counts.map(({ label, clicks }) => `${label} ${clicks}`).join(', ')}`
}
