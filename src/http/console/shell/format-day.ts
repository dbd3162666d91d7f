import { memo } from '../../../concurrency/memo.ts'
import { memoizePerLanguage } from '../../localization/language.ts'

/** Names are case-insensitive, so one zone may have several entries. */
const MAX_ZONES = 500

function createZoneFormat(
  options: Intl.DateTimeFormatOptions,
): (zone: string) => Intl.DateTimeFormat {
  const formats = memoizePerLanguage((language) =>
    memo((timeZone) => new Intl.DateTimeFormat(language, { ...options, timeZone }), MAX_ZONES),
  )
  return (zone) => formats()(zone)
}

const inYear = createZoneFormat({ month: 'short', day: 'numeric' })
const anyYear = createZoneFormat({ dateStyle: 'medium' })
const yearOf = createZoneFormat({ year: 'numeric' })
const withMinutes = createZoneFormat({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })
const withSeconds = createZoneFormat({ dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })

/** Formats a day: `Nov 23`, with the year unless it is the current one. */
export function formatDay(date: Date, now: Date, zone: string): string {
  const year = yearOf(zone)
  return year.format(date) === year.format(now)
    ? inYear(zone).format(date)
    : anyYear(zone).format(date)
}

/** Returns a day with its year: `Nov 23, 2026`. */
export function formatDate(date: Date, zone: string): string {
  return anyYear(zone).format(date)
}

/** Formats a time: `Nov 23, 2026, 02:02`. */
export function formatMoment(date: Date, zone: string): string {
  return withMinutes(zone).format(date)
}

/** Returns a time to the second: `Nov 23, 2026, 02:02:09`. */
export function formatSecond(date: Date, zone: string): string {
  return withSeconds(zone).format(date)
}
