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
import { fieldLabel, labeledErrorText } from '../errors/labeled-error.ts'
import { cards, type Tab } from './cards.ts'
import { typedLabel } from './label-text.ts'
import { listMessages } from './list-messages.ts'
import { METRICS, type Metric } from './metrics.ts'
import { periodMessages } from './period-messages.ts'

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
export function readZoneOf(query: Query, own: string): { zone: string; error?: string } {
  const read = attempt(() => readZone(textOf(query, 'tz')), own)
  return { zone: textOf(query, 'tz') ? read.value : own, ...errorOf(read) }
}

/** Reads the state from a URL. Ignores invalid parts and returns the first error. */
export function readState(
  query: Query,
  zone: string,
  calendar: Calendar,
): State & { error?: string } {
  const choice = attempt(() => readChoice(periodOf(query), calendar), readChoice({}, calendar))
  const compare = attempt(() => readComparison(textOf(query, 'compare')), undefined)
  const filters = attempt(() => readFilters(filtersOf(query)), {})
  const wrong = [choice, compare, filters].find(({ error }) => error !== undefined)
  const openTabs = valuesOf(query.tab)
  return {
    choice: choice.value,
    zone,
    compare: compare.value,
    filters: filters.value,
    metric: METRICS.find((name) => name === query.metric) ?? 'clicks',
    tabs: cards.flatMap(
      ({ tabs }) => tabs.find((tab, index) => index > 0 && openTabs.includes(tab)) ?? [],
    ),
    ...errorOf(wrong),
  }
}

/** Returns a state as URL parameters, without defaults. */
export function parametersOf(
  state: Omit<State, 'choice'> & Required<Pick<Change, 'choice'>>,
  own: string,
  calendar: Calendar,
): Parameter[] {
  const { choice, compare, filters, metric, tabs, zone } = state
  return [
    ...toChoiceParameters(choice, calendar),
    ...(zone === own ? [] : [['tz', zone] as const]),
    ...(compare ? [['compare', compare] as const] : []),
    ...filterNames.flatMap((name) => (filters[name] ?? []).map((label) => [name, label] as const)),
    ...(metric === 'clicks' ? [] : [['metric', metric] as const]),
    ...tabs.map((tab) => ['tab', tab] as const),
  ]
}

/** Returns the URL of a path with parameters. */
export function urlOf(path: string, parameters: readonly Parameter[]): string {
  const [address = '', anchor] = path.split('#')
  const query = new URLSearchParams(parameters.map(([name, value]) => [name, value]))
  return `${address}${query.size > 0 ? `?${query}` : ''}${anchor ? `#${anchor}` : ''}`
}

/** Returns whether a parameter is a filter. */
export function isFilter(name: string): name is FilterName {
  return filterParameters.includes(name)
}

function periodOf(query: Query): ChoiceQuery {
  const text = (name: keyof ChoiceQuery) => textOf(query, name)
  return {
    from: text('from'),
    to: text('to'),
    interval: text('interval'),
    period: text('period'),
  }
}

/** Returns the filters in the URL. Ignores empty values, because forms submit empty fields. */
function filtersOf(query: Query): Partial<Record<FilterName, string[]>> {
  const given = filterNames.map((name) => [name, valuesOf(query[name])] as const)
  return Object.fromEntries(
    given
      .filter(([, values]) => values.length > 0)
      .map(([name, values]) => [name, values.map((value) => typedLabel(name, value))]),
  )
}

function valuesOf(value: unknown): string[] {
  const texts = [value].flat().filter((each) => typeof each === 'string')
  return texts.map((text) => text.trim()).filter((text) => text !== '')
}

function textOf(query: Query, name: string): string | undefined {
  const value = query[name]
  return typeof value === 'string' ? value.trim() : undefined
}

type Attempt<T> = { value: T; error?: string }

function attempt<T>(read: () => T, otherwise: T): Attempt<T> {
  try {
    return { value: read() }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'invalid_input') throw error
    return { value: otherwise, error: sentenceOf(error) }
  }
}

function errorOf(attempt: Attempt<unknown> | undefined): { error?: string } {
  return attempt?.error === undefined ? {} : { error: attempt.error }
}

/** Returns the sentence for an invalid parameter, after its name on the page. */
function sentenceOf(error: AppError): string {
  const { start: from, end: to, timeZone: tz, period, interval, compare } = periodMessages
  const labels: Readonly<Record<string, string>> = {
    ...listMessages.kinds,
    from,
    to,
    tz,
    period,
    interval,
    compare,
  }
  return labeledErrorText(error, (field) => labels[field] ?? fieldLabel(field))
}
