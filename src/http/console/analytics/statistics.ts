import {
  classifyReadFailure,
  findSpanBefore,
  firstFilteredDay,
  readImportedClicks,
  readStatistics,
  SCAN_LABEL,
  type StatisticsView,
  type ViewInput,
} from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import {
  getReportSetting,
  type ReportSetting,
} from '../../../email-reports/subscription.service.ts'
import { AppError } from '../../../errors.ts'
import { readLinkNames } from '../../../links/link-list.service.ts'
import { campaigns as campaignResource } from '../../../resources/campaigns.ts'
import { channels as channelResource } from '../../../resources/channels.ts'
import { scopeOf } from '../../../scope.ts'
import {
  findSharedToken,
  toSharedPath,
} from '../../../shared-statistics/shared-statistics.service.ts'
import { listTagNames } from '../../../tags/tag.service.ts'
import { t } from '../../../texts.ts'
import type { Credit } from '../../../visitors/country-credit.ts'
import type { MenuItem } from '../kit/menu.ts'
import type { ConsoleRequest } from '../kit/subject.ts'
import { formatDayLabel } from './format.ts'
import { buildUrl, isFiltered, type PageState, readPageState } from './state.ts'
import type { Parameter, Subject } from './subject.ts'

/** The statistics of a period. */
export type PageStatistics = StatisticsView & {
  linkNames: Awaited<ReturnType<typeof readLinkNames>>
  imported: Awaited<ReturnType<typeof readImportedClicks>>
  /** The reason why they are not compared. */
  notice?: string
  /** The attribution of the country data. */
  credit: Credit | undefined
}

/**
 * The reason why there are no statistics. `firstDay` is set if filters do not reach back far
 * enough.
 */
export type Problem = { text: string; status: 422 | 503; firstDay?: number }

/** Statistics, or the reason why there are none: by default, a database server is unavailable. */
export type Outcome = { statistics?: PageStatistics; problem?: Problem }

/** The statistics of a subject, and everything else that their page shows. */
export type Analytics = Outcome & {
  pageState: PageState
  /** Other subjects to navigate to. */
  scopes: readonly MenuItem[]
  /** Whether the numbers can still change. */
  isLive: boolean
  /**
   * The public page with the same statistics, for subjects that can have one. Without a URL, it does
   * not exist.
   */
  share?: { url: string | undefined } | undefined
  /** How often the member gets a report on the subject, if there are such reports. */
  report?: ReportSetting | undefined
}

/** The number of labels per list on a page. */
export const DEFAULT_LABELS = 10
/** The maximum number of countries on a map. */
const MAX_COUNTRIES = 300
/** The maximum number of links whose imported clicks are looked up. */
const MAX_IMPORTED_LINKS = 5000
/** The maximum number of links for which an open page receives updates. */
const MAX_LIVE_LINKS = 500
/** The maximum number of subjects of each kind in the menu. */
const MAX_MENU_ITEMS = 20

/** Reads the statistics of a subject for the state in the URL. */
export async function loadAnalytics(
  ctx: HttpContext,
  { query, session }: Pick<ConsoleRequest, 'query' | 'session'>,
  subject: Subject,
): Promise<Analytics> {
  const pageState = await readPageState(ctx, subject, query, { zone: session.user.timeZone })
  const [outcome, scopes, share, report] = await Promise.all([
    readPageStatistics(ctx, pageState),
    listScopes(ctx, pageState),
    findShare(ctx, subject),
    findReport(ctx, session.user.id, subject),
  ])
  const isLive =
    outcome.statistics !== undefined &&
    pageState.choice.to === pageState.calendar.today &&
    (subject.scope.linkIds?.length ?? 1) <= MAX_LIVE_LINKS &&
    !isFiltered(pageState) &&
    !subject.isOfScans
  return { pageState, ...outcome, scopes, share, report, isLive }
}

/** Returns the HTTP status of a page with statistics. */
export function chooseStatus({ pageState, problem }: Outcome & { pageState: PageState }): number {
  return problem?.status ?? (pageState.error === undefined ? 200 : 422)
}

/**
 * Reads the statistics with up to `limit` labels per list. Without a limit, reads those of a page with
 * cards, which are compared with the previous period even if the URL does not say so.
 */
export async function readPageStatistics(
  ctx: HttpContext,
  pageState: PageState,
  limit?: number,
): Promise<Outcome> {
  const { subject, choice, compare, zone, tabs, calendar, reader } = pageState
  const filters = subject.isOfScans
    ? { ...pageState.filters, source: [SCAN_LABEL] }
    : pageState.filters
  // Filtered clicks are counted one by one, so they are compared only on request.
  const isCompared =
    choice.preset !== 'all' &&
    (compare !== undefined || (limit === undefined && Object.keys(filters).length === 0))
  const comparison = compare === 'year' ? compare : findSpanBefore(choice, calendar)
  const input: ViewInput = {
    scope: subject.scope,
    period: choice,
    zone,
    filters,
    limit: limit ?? (tabs.includes('map') ? MAX_COUNTRIES : DEFAULT_LABELS),
    isShared: reader.isShared ?? false,
    compare: isCompared ? comparison : undefined,
  }
  try {
    const statistics = await readWithComparison(ctx, input)
    const { accountId, linkIds } = subject.scope
    const clickedIds = statistics.links.map(({ linkId }) => linkId)
    const [linkNames, imported] = await Promise.all([
      readLinkNames(scopeOf(ctx, accountId), clickedIds),
      linkIds && linkIds.length <= MAX_IMPORTED_LINKS
        ? readImportedClicks(ctx.db, linkIds)
        : undefined,
    ])
    return { statistics: { ...statistics, linkNames, imported, credit: ctx.country.credit() } }
  } catch (error) {
    const problem = findProblem(ctx, error, input)
    if (problem) return { problem }
    if (classifyReadFailure(error)) return {}
    throw error
  }
}

/** Reads statistics. If the comparison would need deleted raw clicks, omits it and adds a notice. */
async function readWithComparison(ctx: HttpContext, input: ViewInput) {
  try {
    return await readStatistics(ctx, ctx.db, input)
  } catch (error) {
    if (!(error instanceof AppError) || error.field !== 'compare') throw error
    const day = formatDayLabel(firstFilteredDay(ctx, input.zone))
    const statistics = await readStatistics(ctx, ctx.db, { ...input, compare: undefined })
    return { ...statistics, notice: t('analytics.tooEarlyCompare', { day }) }
  }
}

function findProblem(
  ctx: HttpContext,
  error: unknown,
  { period, zone }: ViewInput,
): Problem | undefined {
  if (classifyReadFailure(error) === 'slow') return { text: t('analytics.slow'), status: 503 }
  if (!(error instanceof AppError)) return undefined
  if (error.code === 'busy') return { text: t('analytics.busy'), status: 503 }
  if (error.code !== 'invalid_input' || error.field !== 'from') return undefined
  const firstDay = firstFilteredDay(ctx, zone)
  if (period.from >= firstDay) return { text: t('analytics.tooMany'), status: 422 }
  const text = t('analytics.tooEarly', { day: formatDayLabel(firstDay) })
  return { text, status: 422, ...(firstDay <= period.to && { firstDay }) }
}

/** Returns the public page of a link or campaign, or undefined for other subjects. */
async function findShare(
  ctx: HttpContext,
  { kind, id, scope: { accountId } }: Subject,
): Promise<Analytics['share']> {
  if (kind !== 'link' && kind !== 'campaign') return undefined
  const token = await findSharedToken({ db: ctx.db, accountId }, { kind, id })
  return { url: token && `${ctx.config.baseUrl}${toSharedPath(token)}` }
}

async function findReport(
  { config, db }: HttpContext,
  userId: number,
  { kind, id, scope: { accountId } }: Subject,
): Promise<ReportSetting | undefined> {
  if (!config.mail || (kind !== 'link' && kind !== 'campaign')) return undefined
  return getReportSetting(db, { accountId, userId, subject: { kind, id } })
}

/** Returns the menu of subjects: all links, and the account's tags, campaigns and channels. */
async function listScopes(
  ctx: HttpContext,
  { subject, parameters }: PageState,
): Promise<MenuItem[]> {
  const { kind, id, name, path, scope } = subject
  const account = { db: ctx.db, accountId: scope.accountId }
  const page = { limit: MAX_MENU_ITEMS, offset: 0 }
  const [tags, campaigns, channels] = await Promise.all([
    listTagNames(account, MAX_MENU_ITEMS),
    campaignResource.list(account, page),
    channelResource.list(account, page),
  ])
  const kept = parameters.filter(([each]) => each !== 'tag')
  const toItem = (to: string, label: string, isCurrent = false, tag: Parameter[] = []) => ({
    href: buildUrl(to, [...tag, ...kept]),
    label,
    isCurrent,
  })
  const listGroups = (
    group: 'campaign' | 'channel',
    entries: (typeof campaigns)['entries'] | (typeof channels)['entries'],
  ) =>
    entries.flatMap((entry) =>
      kind === group && id === entry.id
        ? []
        : toItem(
            `/console/${group}s/${entry.id}`,
            t(`analytics.groups.${group}`, { name: entry.name }),
          ),
    )
  return [
    toItem('/console/analytics', t('analytics.allLinks'), kind === 'account'),
    ...(kind === 'account' || kind === 'tag' ? [] : [toItem(path, name, true)]),
    ...tags.map((tag) =>
      toItem(
        '/console/analytics',
        t('analytics.tagged', { name: tag }),
        kind === 'tag' && name === tag,
        [['tag', tag]],
      ),
    ),
    ...listGroups('campaign', campaigns.entries),
    ...listGroups('channel', channels.entries),
  ]
}
