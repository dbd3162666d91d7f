import { memo } from '../../../concurrency/memo.ts'
import { perLanguage } from '../../localization/language.ts'

/** Names are case-insensitive, so one zone may have several entries. */
const MAX_ZONES = 500

function inZone(options: Intl.DateTimeFormatOptions): (zone: string) => Intl.DateTimeFormat {
  const formats = perLanguage((language) =>
    memo((timeZone) => new Intl.DateTimeFormat(language, { ...options, timeZone }), MAX_ZONES),
  )
  return (zone) => formats()(zone)
}

const inYear = inZone({ month: 'short', day: 'numeric' })
const anyYear = inZone({ dateStyle: 'medium' })
const yearOf = inZone({ year: 'numeric' })
const withMinutes = inZone({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })
const withSeconds = inZone({ dateStyle: 'medium', timeStyle: 'medium', hourCycle: 'h23' })

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
