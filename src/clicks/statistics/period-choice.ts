import { invalid } from '../../errors.ts'
import {
  formatDay,
  HOURLY_DAYS,
  type Interval,
  intervals,
  MAX_DAYS,
  type Period,
  type PeriodQuery,
  readPeriod,
  type Step,
} from './period.ts'
import { addMonths, countWholeMonths, isFirstOfMonth } from './whole-months.ts'

/** The names of periods, from the current day to the entire history. */
export const presetNames = [
  'today',
  'yesterday',
  '7d',
  '30d',
  '90d',
  'month',
  'last-month',
  'year',
  '12m',
  'all',
] as const
export type PresetName = (typeof presetNames)[number]

/** Days since 1970, both inclusive. */
export type Span = { from: number; to: number }

/** The current day and the first day of the history. The named periods depend on them. */
export type Calendar = { today: number; first: number }

export type Choice = Period & {
  /** The name of the period, if it has one. */
  preset: PresetName | undefined
}

type NamedSpan = Pick<Choice, 'from' | 'to' | 'preset'>

export type ChoiceQuery = PeriodQuery & { period?: string | undefined }

const DAY_MS = 86_400_000
const DEFAULT: PresetName = '30d'
/**
 * Presets that consist of calendar months, with the number of months. The last one may be the
 * current month.
 */
const MONTHS: Partial<Record<PresetName, number>> = {
  month: 1,
  'last-month': 1,
  year: 12,
  '12m': 12,
}

/** Returns the days of a named period. */
function resolvePreset(name: PresetName, { today, first }: Calendar): Span {
  switch (name) {
    case 'today':
      return { from: today, to: today }
    case 'yesterday':
      return { from: today - 1, to: today - 1 }
    case '7d':
      return { from: today - 6, to: today }
    case '30d':
      return { from: today - 29, to: today }
    case '90d':
      return { from: today - 89, to: today }
    case 'month':
      return { from: addMonths(today, 0), to: today }
    case 'last-month':
      return { from: addMonths(today, -1), to: addMonths(today, 0) - 1 }
    case 'year':
      return { from: addMonths(today, -new Date(today * DAY_MS).getUTCMonth()), to: today }
    case '12m':
      return { from: addMonths(today, -11), to: today }
    case 'all':
      return { from: Math.min(first, today), to: today }
    default:
      return name satisfies never
  }
}

/**
 * Parses the requested period: its name in `period`, or `from` and `to`. Defaults to the last 30
 * days. Excludes future days.
 *
 * @throws AppError `invalid_input` naming the parameter
 */
export function readChoice({ period, ...query }: ChoiceQuery, calendar: Calendar): Choice {
  const { today } = calendar
  if (period || !(query.from || query.to)) {
    const preset = presetNames.find((name) => name === (period || DEFAULT))
    if (!preset) throw invalid('period', 'one_of', { choices: presetNames.join(', ') })
    const span = resolvePreset(preset, calendar)
    return { ...withInterval(span, query.interval, calendar), preset }
  }
  const now = new Date(today * DAY_MS)
  const { from, to } = readPeriod({ from: query.from, to: query.to }, now)
  if (from > today) throw invalid('from', 'not_after_today')
  const span = { from, to: Math.min(to, today) }
  return { ...withInterval(span, query.interval, calendar), preset: findPreset(span, calendar) }
}

/**
 * Returns the intervals that divide a span into more than one step and for which clicks are
 * available, or `day` if there is no such interval.
 */
export function listIntervals(span: Span, { today }: Calendar): Interval[] {
  const days = countDays(span)
  const minDays: Record<Interval, number> = { hour: 1, day: 2, week: 14, month: 60 }
  const possible = intervals.filter(
    (interval) =>
      days >= minDays[interval] &&
      days <= MAX_DAYS[interval] &&
      (interval !== 'hour' || hasHourlyClicks(span, today)),
  )
  return possible.length > 0 ? possible : ['day']
}

/**
 * Returns the preceding (-1) or following (1) span of the same number of days or months. A
 * following span ends today at the latest. Returns undefined for the entire history, and if the
 * span would start before 1970 or after today.
 */
export function findAdjacentSpan(
  choice: NamedSpan,
  direction: -1 | 1,
  { today }: Calendar,
): Span | undefined {
  const { from, to, preset } = choice
  if (preset === 'all' || (direction === 1 && to >= today)) return undefined
  const months = countMonths(choice, today)
  if (months > 0) {
    const start = addMonths(from, direction * months)
    if (start < 0) return undefined
    return { from: start, to: Math.min(addMonths(start, months) - 1, today) }
  }
  const days = countDays({ from, to })
  const end = Math.min(to + direction * days, today)
  return end - days + 1 < 0 ? undefined : { from: end - days + 1, to: end }
}

/**
 * Returns the span to compare with: the same number of days or months before this one. If the last
 * month is unfinished, the span ends on the same day of the month. Returns undefined for the entire
 * history, and if the span would start before 1970.
 */
export function findSpanBefore(choice: NamedSpan, calendar: Calendar): Span | undefined {
  const before = findAdjacentSpan(choice, -1, calendar)
  const months = countMonths(choice, calendar.today)
  if (!before || months === 0 || isFirstOfMonth(choice.to + 1)) return before
  const daysOfLast = choice.to - addMonths(choice.to, 0)
  const last = addMonths(choice.to, -months)
  return { from: before.from, to: Math.min(last + daysOfLast, before.to) }
}

/**
 * Returns the days of a step to zoom in on, or undefined if the step is an hour, is in the future,
 * or spans the entire period.
 */
export function zoomInto(step: Step, period: Period, { today }: Calendar): Span | undefined {
  if (period.interval === 'hour') return undefined
  const span = {
    from: Math.floor(step.from / 24),
    to: Math.min(Math.floor(step.to / 24), today),
  }
  const isSame = span.from === period.from && span.to === period.to
  return span.from > today || isSame ? undefined : span
}

/** Returns the first of `presetNames` whose period contains a day. */
export function findPresetWithDay(day: number, calendar: Calendar): PresetName {
  const isIn = ({ from, to }: Span) => from <= day && day <= to
  return presetNames.find((name) => isIn(resolvePreset(name, calendar))) ?? 'all'
}

/**
 * Converts a period to URL parameters for `readChoice`. Omits defaults, and intervals that the span
 * does not support.
 */
export function toChoiceParameters(
  { preset, interval, ...span }: Span & { preset?: PresetName | undefined; interval?: Interval },
  calendar: Calendar,
): [name: string, value: string][] {
  const name = preset ?? findPreset(span, calendar)
  const parameters: [string, string][] = []
  if (name === undefined) {
    parameters.push(['from', formatDay(span.from)], ['to', formatDay(span.to)])
  } else if (name !== DEFAULT) {
    parameters.push(['period', name])
  }
  const isDefault = interval === chooseInterval(span, calendar)
  if (interval && !isDefault && listIntervals(span, calendar).includes(interval)) {
    parameters.push(['interval', interval])
  }
  return parameters
}

function findPreset({ from, to }: Span, calendar: Calendar): PresetName | undefined {
  return presetNames.find((name) => {
    const span = resolvePreset(name, calendar)
    return name !== 'all' && span.from === from && span.to === to
  })
}

function withInterval(span: Span, requested: string | undefined, calendar: Calendar): Period {
  const interval = requested
    ? intervals.find((name) => name === requested)
    : chooseInterval(span, calendar)
  if (!interval) throw invalid('interval', 'one_of', { choices: intervals.join(', ') })
  const possible = listIntervals(span, calendar)
  // An interval that is suitable for one period may not be suitable for the next one.
  return {
    ...span,
    interval: possible.includes(interval) ? interval : chooseInterval(span, calendar),
  }
}

/**
 * Returns the default interval: hours for up to two days if hourly clicks are available, days for
 * up to 92 days, months for whole months and for more than 366 days, and otherwise weeks.
 */
function chooseInterval(span: Span, calendar: Calendar): Interval {
  const days = countDays(span)
  if (days <= 2 && hasHourlyClicks(span, calendar.today)) return 'hour'
  if (days <= 92) return 'day'
  return days > 366 || countWholeMonths(span, calendar.today) > 0 ? 'month' : 'week'
}

/** Returns the number of whole months in a period, or 0 if it is measured in days. */
function countMonths({ preset, ...span }: NamedSpan, today: number): number {
  return preset === undefined ? countWholeMonths(span, today) : (MONTHS[preset] ?? 0)
}

/** Returns whether hourly clicks are available for all days of a span. */
function hasHourlyClicks({ from }: Span, today: number): boolean {
  return from > today - HOURLY_DAYS
}

function countDays({ from, to }: Span): number {
  return to - from + 1
}
