import {
  type FilterName,
  OTHER_LABEL,
  type Period,
  SCAN_LABEL,
  type Span,
  type Step,
  toLocalTime,
  UNKNOWN_LABEL,
} from '../../../clicks/read.ts'
import {
  findText,
  LANGUAGES,
  memoizePerLanguage,
  runWithLocale,
  t,
  tAll,
  type UserLanguage,
} from '../../../texts.ts'
import { getLanguageName } from '../../../visitors/language.ts'
import { DIRECT_LABEL } from '../../../visitors/referrer.ts'
import { placeNames } from '../shell/place-names.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

const languages = Object.keys(LANGUAGES) as UserLanguage[]

const createFormat = (options: Intl.DateTimeFormatOptions) =>
  memoizePerLanguage(
    (language) => new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' }),
  )
const date = createFormat({ day: 'numeric', month: 'short', year: 'numeric' })
const weekday = createFormat({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' })
const dayOfMonth = createFormat({ day: 'numeric', month: 'short' })
const month = createFormat({ month: 'long', year: 'numeric' })
const shortMonth = createFormat({ month: 'short', year: '2-digit' })
const time = createFormat({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

/** Formats a range of days: `Oct 23 – Nov 21, 2026`. */
export function formatSpan({ from, to }: Span): string {
  const start = new Date(from * DAY_MS)
  const end = new Date(to * DAY_MS)
  if (from === to) return weekday().format(start)
  // Versions of ICU differ in their spaces.
  return date().formatRange(start, end).replace(/\s/g, ' ')
}

/** Formats a day: `Nov 21, 2026`. */
export function formatDayLabel(day: number): string {
  return date().format(new Date(day * DAY_MS))
}

/** Returns the name of a step and a short name for the axis. */
export function formatStep(step: Step, period: Period): { name: string; short: string } {
  const start = new Date(step.from * HOUR_MS)
  const days = { from: Math.floor(step.from / 24), to: Math.floor(step.to / 24) }
  switch (period.interval) {
    case 'hour':
      return {
        name: `${weekday().format(start)}, ${time().format(start)}`,
        short: period.from === period.to ? time().format(start) : dayOfMonth().format(start),
      }
    case 'day':
      return { name: weekday().format(start), short: dayOfMonth().format(start) }
    case 'week':
      return { name: formatSpan(days), short: dayOfMonth().format(start) }
    case 'month':
      return { name: month().format(start), short: shortMonth().format(start) }
    default:
      return period.interval satisfies never
  }
}

/** Returns the number of steps between two axis labels, for at most eight labels. */
export function chooseLabelInterval({ interval, from, to }: Period, count: number): number {
  const minSteps = count / 8
  if (interval !== 'hour') return Math.ceil(minSteps)
  return from === to ? 3 : 24 * Math.ceil(minSteps / 24)
}

/** Formats a time in a time zone: `Nov 23, 2026, 02:02`. */
export function formatMoment(at: Date, zone: string): string {
  const moment = new Date(toLocalTime(zone, at.getTime()))
  return `${date().format(moment)}, ${time().format(moment)}`
}

/** The texts of the labels of a kind. */
const LABEL_TEXTS = { device: 'breakdowns.devices', automated: 'breakdowns.automated' } as const

/** Translates a label from English to the language of the page. */
export function localizeLabel(name: FilterName, label: string): string {
  if (label === UNKNOWN_LABEL) return t('breakdowns.unknown')
  if (label === OTHER_LABEL) return t('breakdowns.other')
  switch (name) {
    case 'referrer':
      return label === DIRECT_LABEL ? t('breakdowns.direct') : label
    case 'country':
    case 'language':
      return placeNames[name].localize(label)
    case 'source':
      return label === SCAN_LABEL ? t('breakdowns.scan') : label
    case 'device':
    case 'automated':
      return findText(LABEL_TEXTS[name], label) ?? label
    default:
      return label
  }
}

/** Returns the English name of a filter's label. Languages are filtered by code. */
export function toEnglishLabel(name: FilterName, value: string): string {
  return name === 'language' ? getLanguageName(value) : value
}

/** Returns the label of a filter in the language of the page. */
export function localizeFilterValue(name: FilterName, value: string): string {
  return localizeLabel(name, toEnglishLabel(name, value))
}

/** Returns the English label for a label that was entered in any language of the console. */
export function parseLabel(name: FilterName, text: string): string {
  const isTextOf = (read: () => string | undefined) =>
    languages.some(
      (language) => runWithLocale({ language }, read)?.toLowerCase() === text.toLowerCase(),
    )
  if (isTextOf(() => t('breakdowns.unknown'))) return UNKNOWN_LABEL
  if (name === 'country' || name === 'language') return placeNames[name].toEnglish(text)
  if (name === 'referrer' && isTextOf(() => t('breakdowns.direct'))) return DIRECT_LABEL
  if (name === 'source' && isTextOf(() => t('breakdowns.scan'))) return SCAN_LABEL
  if (name !== 'device' && name !== 'automated') return text
  const group = LABEL_TEXTS[name]
  return Object.keys(tAll(group)).find((label) => isTextOf(() => findText(group, label))) ?? text
}
