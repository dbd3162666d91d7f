import { memo } from '../../../concurrency/memo.ts'
import { memoizePerLanguage, t } from '../../../texts.ts'

/** More than there are zones: names are case-insensitive, so one zone may have several entries. */
const MAX_ZONES = 500

const dayFormat = createZoneFormat({ month: 'short', day: 'numeric' })

const dateFormat = createZoneFormat({ dateStyle: 'medium' })

const yearFormat = createZoneFormat({ year: 'numeric' })

const minuteFormat = createZoneFormat({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })

const secondFormat = createZoneFormat({
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
})

// Cached: creating a formatter takes as long as formatting a hundred numbers.
const whole = memoizePerLanguage((language) => new Intl.NumberFormat(language))
const percent = memoizePerLanguage(
  (language) => new Intl.NumberFormat(language, { style: 'percent' }),
)
const compact = memoizePerLanguage(
  (language) => new Intl.NumberFormat(language, { notation: 'compact' }),
)
const tenths = memoizePerLanguage(
  (language) =>
    new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
)
const BYTE_UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** Formats a whole number: 12,345. */
export function formatCount(value: number): string {
  return whole().format(value)
}

/** Formats a ratio in percent: 0.12 as 12%. */
export function formatPercent(ratio: number): string {
  return percent().format(ratio)
}

/** Formats a number in short form for an axis: 1,200 as 1.2K. */
export function formatShort(value: number): string {
  return compact().format(value)
}

/** Formats a number of bytes in a suitable unit: `1.5 GiB`. NaN is unknown. */
export function formatBytes(bytes: number): string {
  if (!Number.isFinite(bytes)) return t('admin.amounts.unknown')
  if (bytes < 1024) return t('admin.amounts.bytes', { n: Math.round(bytes) })
  const power = Math.min(BYTE_UNITS.length, Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / 1024 ** power
  const text = amount < 10 ? tenths().format(amount) : formatCount(Math.round(amount))
  return `${text} ${BYTE_UNITS[power - 1]}`
}

/** Returns a function that returns the cached formatter for a zone in the language of the page. */
function createZoneFormat(
  options: Intl.DateTimeFormatOptions,
): (zone: string) => Intl.DateTimeFormat {
  const formats = memoizePerLanguage((language) =>
    memo((timeZone) => new Intl.DateTimeFormat(language, { ...options, timeZone }), MAX_ZONES),
  )
  return (zone) => formats()(zone)
}

/** Formats a day: `Nov 23`, with the year unless it is the current one. */
export function formatDay(date: Date, now: Date, zone: string): string {
  const year = yearFormat(zone)
  return year.format(date) === year.format(now)
    ? dayFormat(zone).format(date)
    : dateFormat(zone).format(date)
}

/** Returns a day with its year: `Nov 23, 2026`. */
export function formatDate(date: Date, zone: string): string {
  return dateFormat(zone).format(date)
}

/** Formats a time: `Nov 23, 2026, 02:02`. */
export function formatMoment(date: Date, zone: string): string {
  return minuteFormat(zone).format(date)
}

/** Returns a time to the second: `Nov 23, 2026, 02:02:09`. */
export function formatSecond(date: Date, zone: string): string {
  return secondFormat(zone).format(date)
}
