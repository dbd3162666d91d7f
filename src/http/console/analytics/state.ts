import {
  type Calendar,
  type Choice,
  type ChoiceQuery,
  type ComparisonName,
  type FilterName,
  filterNames,
  type LabelFilters,
  readChoice,
  readComparison,
  readFilters,
  readZone,
  toChoiceParameters,
} from '../../../clicks/read.ts'
import { AppError } from '../../../errors.ts'
import { t, tAll } from '../../../texts.ts'
import { describeLabeledError, findFieldLabel } from '../errors/labeled-error.ts'
import { METRICS, type Metric } from '../kit/metrics.ts'
import { cards, type Tab } from './cards.ts'
import { parseLabel } from './label-text.ts'

/** The state of a statistics page, stored in its URL. */
export type State = {
  choice: Choice
  zone: string
  compare: ComparisonName | undefined
  filters: LabelFilters
  metric: Metric
  /** The open tabs, other than the first of their cards. */
  tabs: readonly Tab[]
}

export type Query = Readonly<Record<string, unknown>>
export type Parameter = readonly [name: string, value: string]
/** A change of the state. A new period resets the interval unless the change includes one. */
export type Change = Partial<Omit<State, 'choice'>> & {
  choice?: Parameters<typeof toChoiceParameters>[0]
}

const filterParameters: readonly string[] = filterNames

/** Returns the time zone in the URL. The default is the user's time zone. */
export function readTimeZone(query: Query, ownZone: string): { zone: string; error?: string } {
  const read = attempt(() => readZone(readText(query, 'tz')), ownZone)
  return { zone: readText(query, 'tz') ? read.value : ownZone, ...toErrorProperty(read) }
}

/** Reads the state from a URL. Ignores invalid parts and returns the first error. */
export function readState(
  query: Query,
  zone: string,
  calendar: Calendar,
): State & { error?: string } {
  const choice = attempt(() => readChoice(readPeriod(query), calendar), readChoice({}, calendar))
  const compare = attempt(() => readComparison(readText(query, 'compare')), undefined)
  const filters = attempt(() => readFilters(readFilterInputs(query)), {})
  const firstInvalid = [choice, compare, filters].find(({ error }) => error !== undefined)
  const openTabs = readValues(query.tab)
  return {
    choice: choice.value,
    zone,
    compare: compare.value,
    filters: filters.value,
    metric: METRICS.find((name) => name === query.metric) ?? 'clicks',
    tabs: cards.flatMap(
      ({ tabs }) => tabs.find((tab, index) => index > 0 && openTabs.includes(tab)) ?? [],
    ),
    ...toErrorProperty(firstInvalid),
  }
}

/** Returns a state as URL parameters, without defaults. */
export function listParameters(
  state: Omit<State, 'choice'> & Required<Pick<Change, 'choice'>>,
  ownZone: string,
  calendar: Calendar,
): Parameter[] {
  const { choice, compare, filters, metric, tabs, zone } = state
  return [
    ...toChoiceParameters(choice, calendar),
    ...(zone === ownZone ? [] : [['tz', zone] as const]),
    ...(compare ? [['compare', compare] as const] : []),
    ...filterNames.flatMap((name) => (filters[name] ?? []).map((label) => [name, label] as const)),
    ...(metric === 'clicks' ? [] : [['metric', metric] as const]),
    ...tabs.map((tab) => ['tab', tab] as const),
  ]
}

/** Returns the URL of a path with parameters. */
export function buildUrl(path: string, parameters: readonly Parameter[]): string {
  const [pathname = '', anchor] = path.split('#')
  const query = new URLSearchParams(parameters.map(([name, value]) => [name, value]))
  return `${pathname}${query.size > 0 ? `?${query}` : ''}${anchor ? `#${anchor}` : ''}`
}

/** Returns whether a parameter is a filter. */
export function isFilter(name: string): name is FilterName {
  return filterParameters.includes(name)
}

function readPeriod(query: Query): ChoiceQuery {
  const read = (name: keyof ChoiceQuery) => readText(query, name)
  return {
    from: read('from'),
    to: read('to'),
    interval: read('interval'),
    period: read('period'),
  }
}

/** Returns the filters in the URL. Ignores empty values, because forms submit empty fields. */
function readFilterInputs(query: Query): Partial<Record<FilterName, string[]>> {
  const inputs = filterNames.map((name) => [name, readValues(query[name])] as const)
  return Object.fromEntries(
    inputs
      .filter(([, values]) => values.length > 0)
      .map(([name, values]) => [name, values.map((value) => parseLabel(name, value))]),
  )
}

function readValues(value: unknown): string[] {
  const texts = [value].flat().filter((each) => typeof each === 'string')
  return texts.map((text) => text.trim()).filter((text) => text !== '')
}

function readText(query: Query, name: string): string | undefined {
  const value = query[name]
  return typeof value === 'string' ? value.trim() : undefined
}

type Attempt<T> = { value: T; error?: string }

function attempt<T>(read: () => T, fallback: T): Attempt<T> {
  try {
    return { value: read() }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_input') throw error
    return { value: fallback, error: toSentence(error) }
  }
}

function toErrorProperty(attempt: Attempt<unknown> | undefined): { error?: string } {
  return attempt?.error === undefined ? {} : { error: attempt.error }
}

/** Returns the sentence for an invalid parameter, after its name on the page. */
function toSentence(error: AppError): string {
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
