import {
  type Calendar,
  type Choice,
  type ComparisonName,
  countClicksOfAccount,
  dayOf,
  type FilterName,
  filterNames,
  ifAvailable,
  type LabelFilters,
  type LabelList,
  readChoice,
  readClickedDays,
  readComparison,
  readFilters,
  readScans,
  readZone,
  sumTotals,
  type Totals,
  toChoiceParameters,
  toLocalTime,
} from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { t, tAll } from '../../../texts.ts'
import { METRICS, type Metric } from '../kit/metrics.ts'
import { readText } from '../kit/query.ts'
import { describeLabeledError, findFieldLabel } from '../shell/describe-error.ts'
import { parseLabel } from './format.ts'
import type { Parameter, Subject } from './subject.ts'

/** The lists of a period. Links with a split have `variants`. One line has all of `automated`. */
export type ListName = Exclude<LabelList, 'automated'> | 'links'
export type Tab = ListName | 'map'

/** The cards below the chart with their tabs. By default, the first tab is open. */
export const CARDS = [
  { name: 'sources', tabs: ['referrers', 'languages', 'sources'] },
  { name: 'places', tabs: ['countries', 'map'] },
  { name: 'tech', tabs: ['browsers', 'os', 'devices'] },
  { name: 'links', tabs: ['links', 'variants'] },
] as const satisfies readonly { name: string; tabs: readonly Tab[] }[]

/** The state of a statistics page, stored in its URL. */
type State = {
  choice: Choice
  zone: string
  compare: ComparisonName | undefined
  filters: LabelFilters
  metric: Metric
  /** The open tabs, other than the first of their cards. */
  tabs: readonly Tab[]
}

/** A state to link to. A new period resets the interval unless it includes one. */
type Target = Omit<State, 'choice'> & { choice: Parameters<typeof toChoiceParameters>[0] }

type Query = Readonly<Record<string, unknown>>

type Reader = {
  /** The own time zone of who reads the page. */
  zone: string
  /** Whether the page is public. If so, other links are not named, and there are no filters. */
  isShared?: boolean
}

/** A statistics page: its subject, its state, and the URLs of its links. */
export type PageState = State & {
  subject: Subject
  reader: Reader
  now: Date
  calendar: Calendar
  /** The first and the last day with clicks. */
  clickedDays: { first: number; last: number } | undefined
  /** Undefined while the database server that stores the totals is down. */
  allTime: (Pick<Totals, 'clicks'> & Partial<Totals>) | undefined
  /** The error of the first invalid part of the URL, which is ignored. */
  error: string | undefined
  /** Returns the URL of the page, or of a page below it, after a change of the state. */
  buildHref: (change?: Partial<Target>, subpath?: string) => string
  /** The URL parameters of the page. */
  parameters: readonly Parameter[]
}

/** Reads the state of a page from its URL. Ignores invalid parts. */
export async function readPageState(
  ctx: HttpContext,
  subject: Subject,
  query: Query,
  reader: Reader,
): Promise<PageState> {
  const errors: string[] = []
  const attempt = <Value>(read: () => Value, fallback: Value): Value => {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'invalid_input') throw error
      errors.push(describeInvalidParameter(error))
      return fallback
    }
  }
  const now = ctx.clock()
  const { clickedDays, allTime } = await readHistory(ctx, subject)
  const { createdAt, extraParameters = [] } = subject
  const zoneName = readText(query, 'tz')
  const zone = zoneName ? attempt(() => readZone(zoneName), reader.zone) : reader.zone
  const today = dayOf(new Date(toLocalTime(zone, now.getTime())))
  const firstDays = [today, dayOf(createdAt ?? now), clickedDays?.first ?? today]
  const calendar = { today, first: Math.min(...firstDays) }
  const period = ['from', 'to', 'interval', 'period'].map((name) => [name, readText(query, name)])
  const openTabs = readValues(query.tab)
  const state: State = {
    choice: attempt(
      () => readChoice(Object.fromEntries(period), calendar),
      readChoice({}, calendar),
    ),
    zone,
    compare: attempt(() => readComparison(readText(query, 'compare')), undefined),
    filters: attempt(() => readFilters(readFilterInputs(query)), {}),
    metric: METRICS.find((name) => name === query.metric) ?? 'clicks',
    tabs: CARDS.flatMap(
      ({ tabs: [, ...others] }) => others.find((tab) => openTabs.includes(tab)) ?? [],
    ),
  }
  const listParameters = (change: Partial<Target> = {}) => [
    ...extraParameters,
    ...toParameters({ ...state, ...change }, reader.zone, calendar),
  ]
  return {
    ...state,
    subject,
    reader,
    now,
    calendar,
    clickedDays,
    allTime,
    error: errors[0],
    buildHref: (change, subpath = '') =>
      buildUrl(`${subject.path}${subpath}`, listParameters(change)),
    parameters: listParameters(),
  }
}

/** Returns whether filters are set. */
export function isFiltered({ filters }: Pick<State, 'filters'>): boolean {
  return Object.keys(filters).length > 0
}

/** Returns whether the period is shown by hour and ends today, so that it may include future hours. */
export function isTodayByHour({ choice, calendar }: PageState): boolean {
  return choice.interval === 'hour' && choice.to === calendar.today
}

/** Returns the URL of a path with parameters. */
export function buildUrl(path: string, parameters: readonly Parameter[]): string {
  const [pathname = '', anchor] = path.split('#')
  const query = new URLSearchParams(parameters.map(([name, value]) => [name, value]))
  return `${pathname}${query.size > 0 ? `?${query}` : ''}${anchor ? `#${anchor}` : ''}`
}

async function readHistory({ db }: HttpContext, { scope, isOfScans }: Subject) {
  const { accountId, linkIds } = scope
  const readAllTime = async () => {
    if (!linkIds) return { clicks: await countClicksOfAccount({ db, accountId }) }
    if (!isOfScans) return sumTotals(db, linkIds)
    const scans = await readScans(db, linkIds)
    return { clicks: scans.values().reduce((sum, count) => sum + count, 0) }
  }
  const [clickedDays, allTime] = await Promise.all([
    // The history of scans starts with the code, not with the first click on its link.
    isOfScans ? undefined : ifAvailable(readClickedDays(db, scope)),
    ifAvailable(readAllTime()),
  ])
  return { clickedDays, allTime }
}

/** Returns a state as URL parameters, without defaults. */
function toParameters(
  { choice, compare, filters, metric, tabs, zone }: Target,
  ownZone: string,
  calendar: Calendar,
): Parameter[] {
  return [
    ...toChoiceParameters(choice, calendar),
    ...(zone === ownZone ? [] : [['tz', zone] as const]),
    ...(compare ? [['compare', compare] as const] : []),
    ...filterNames.flatMap((name) => (filters[name] ?? []).map((label) => [name, label] as const)),
    ...(metric === 'clicks' ? [] : [['metric', metric] as const]),
    ...tabs.map((tab) => ['tab', tab] as const),
  ]
}

/** Returns the filters in the URL. Ignores empty values, because forms submit empty fields. */
function readFilterInputs(query: Query): Partial<Record<FilterName, string[]>> {
  const inputs = filterNames.map((name) => [
    name,
    readValues(query[name]).map((value) => parseLabel(name, value)),
  ])
  return Object.fromEntries(inputs.filter(([, values = []]) => values.length > 0))
}

function readValues(value: unknown): string[] {
  const texts = [value].flat().filter((each) => typeof each === 'string')
  return texts.map((text) => text.trim()).filter((text) => text !== '')
}

/** Returns the sentence for an invalid parameter, after its name on the page. */
function describeInvalidParameter(error: AppError): string {
  const labels: Readonly<Record<string, string>> = {
    ...tAll('breakdowns.kinds'),
    from: t('periods.start'),
    to: t('periods.end'),
    tz: t('periods.timeZone'),
    period: t('periods.period'),
    interval: t('periods.interval'),
    compare: t('periods.compare'),
  }
  return describeLabeledError(error, (field) => labels[field] ?? findFieldLabel(field))
}
