import { memo } from '../../../concurrency/memo.ts'
import { memoizePerLanguage } from '../../../texts.ts'

/** More than there are zones: names are case-insensitive, so one zone may have several entries. */
const MAX_ZONES = 500

/** Returns a function that returns the cached formatter for a zone in the language of the page. */
function createZoneFormat(
  options: Intl.DateTimeFormatOptions,
): (zone: string) => Intl.DateTimeFormat {
  const formats = memoizePerLanguage((language) =>
    memo((timeZone) => new Intl.DateTimeFormat(language, { ...options, timeZone }), MAX_ZONES),
  )
  return (zone) => formats()(zone)
}

const dayFormat = createZoneFormat({ month: 'short', day: 'numeric' })
const dateFormat = createZoneFormat({ dateStyle: 'medium' })
const yearFormat = createZoneFormat({ year: 'numeric' })
const minuteFormat = createZoneFormat({ dateStyle: 'medium', timeStyle: 'short', hourCycle: 'h23' })
const secondFormat = createZoneFormat({
  dateStyle: 'medium',
  timeStyle: 'medium',
  hourCycle: 'h23',
})

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
