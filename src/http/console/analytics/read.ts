import {
  type Calendar,
  classifyReadFailure,
  dayOf,
  findSpanBefore,
  firstFilteredDay,
  readImportedClicks,
  readStatistics,
  type StatisticsView,
  toLocalTime,
  type ViewInput,
} from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { readLinkNames } from '../../../links/link-list.service.ts'
import { t } from '../../../texts.ts'
import { formatDayLabel } from './format-period.ts'
import {
  buildUrl,
  type Change,
  listParameters,
  type Parameter,
  type Query,
  readState,
  readTimeZone,
  type State,
} from './state.ts'
import { type History, readHistory, type Subject } from './subject.ts'

/** The state of a statistics page, and the URLs of its links. */
export type PageState = {
  subject: Subject
  state: State
  calendar: Calendar
  history: History
  /** The user's own time zone. */
  ownZone: string
  /** The error of the first invalid part of the URL, which is ignored. */
  error?: string
  /** Returns the URL of the page, or of a page below it, after a change of the state. */
  buildHref: (change?: Change, subpath?: string) => string
  /** The URL parameters of the page. */
  parameters: readonly Parameter[]
}

/**
 * The reason why there are no statistics. `firstDay` is set if filters do not reach back far
 * enough.
 */
export type Problem = { text: string; status: 422 | 503; firstDay?: number }

/** The statistics of a period. `notice` is the reason why they are not compared. */
export type PageStatistics = StatisticsView & {
  linkNames: Awaited<ReturnType<typeof readLinkNames>>
  imported: Awaited<ReturnType<typeof readImportedClicks>>
  notice?: string
}

export type Outcome = { statistics: PageStatistics } | { problem: Problem } | { unavailable: true }

/** The number of labels per list on a page. */
export const DEFAULT_LABELS = 10
/** The maximum number of links whose imported clicks are looked up. */
const MAX_IMPORTED_LINKS = 5000

/** Reads the state from a URL. */
export async function readPageState(
  ctx: HttpContext,
  subject: Subject,
  query: Query,
  ownZone: string,
): Promise<PageState> {
  const history = await readHistory(ctx, subject)
  const { zone, error: zoneError } = readTimeZone(query, ownZone)
  const today = dayOf(new Date(toLocalTime(zone, ctx.clock().getTime())))
  const calendar = { today, first: Math.min(history.first, today) }
  const { error: stateError, ...state } = readState(query, zone, calendar)
  const error = zoneError ?? stateError
  const extraParameters = subject.extraParameters ?? []
  const buildHref: PageState['buildHref'] = (change = {}, subpath = '') =>
    buildUrl(`${subject.path}${subpath}`, [
      ...extraParameters,
      ...listParameters({ ...state, ...change }, ownZone, calendar),
    ])
  const parameters = [...extraParameters, ...listParameters(state, ownZone, calendar)]
  return {
    subject,
    state,
    calendar,
    history,
    ownZone,
    buildHref,
    parameters,
    ...(error && { error }),
  }
}

/** Returns whether filters are set. */
export function isFiltered({ filters }: State): boolean {
  return Object.keys(filters).length > 0
}

/**
 * Reads the statistics with up to `limit` labels per list, and those to compare with. `withPrevious`
 * compares with the previous period even if the URL does not. `isShared` is set for public pages.
 */
export async function readPageStatistics(
  ctx: HttpContext,
  { subject, state, calendar }: PageState,
  { limit = DEFAULT_LABELS, withPrevious = false, isShared = false } = {},
): Promise<Outcome> {
  const { choice, compare, filters, zone } = state
  const previousSpan = findSpanBefore(choice, calendar)
  // Filtered clicks are counted one by one, so they are compared only on request.
  const isCompared =
    choice.preset !== 'all' && (compare !== undefined || (withPrevious && !isFiltered(state)))
  const comparison = compare === 'year' ? compare : previousSpan
  const input: ViewInput = {
    scope: subject.scope,
    period: choice,
    zone,
    filters,
    limit,
    isShared,
    compare: isCompared ? comparison : undefined,
  }
  try {
    const statistics = await readWithComparison(ctx, input)
    const { accountId, linkIds } = subject.scope
    const clickedIds = statistics.links.map(({ linkId }) => linkId)
    const [linkNames, imported] = await Promise.all([
      readLinkNames(ctx, ctx.db, accountId, clickedIds),
      linkIds && linkIds.length <= MAX_IMPORTED_LINKS
        ? readImportedClicks(ctx.db, linkIds)
        : undefined,
    ])
    return { statistics: { ...statistics, linkNames, imported } }
  } catch (error) {
    const problem = toProblem(ctx, error, input)
    if (problem) return { problem }
    if (classifyReadFailure(error)) return { unavailable: true }
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

function toProblem(
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
