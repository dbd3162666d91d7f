import { invalid } from '../../errors.ts'

/** The longest form: nanoseconds and an offset. */
export const MAX_MOMENT_LENGTH = 'YYYY-MM-DDTHH:MM:SS.nnnnnnnnn+HH:MM'.length

const PATTERN =
  /^(\d{4}-\d{2}-\d{2})(?:(?: (?=\d\d:\d\d:)|T)(\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?\s?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/i

/**
 * Parses a start time in UTC: `YYYY-MM-DD HH:MM:SS`, or `YYYY-MM-DD` for the beginning of the day.
 * Also accepts ISO 8601, such as `2027-01-31T12:00:00.000Z` or `2027-01-31T12:00+02:00`.
 *
 * @throws AppError `invalid_input` naming `field` if the format or the date is invalid
 */
export function parseStart(field: string, value: string): Date {
  return parseMoment(field, value).moment
}

/**
 * Parses an expiration in UTC: `YYYY-MM-DD HH:MM:SS`, or `YYYY-MM-DD` for the end of the day. Also
 * accepts ISO 8601, like `parseStart`.
 *
 * @throws AppError `invalid_input` naming `field` if the format or the date is invalid, or if the
 * date is in the past
 */
export function parseExpiry(field: string, value: string, now: Date): Date {
  const { moment, isDay } = parseMoment(field, value)
  // Uses the last millisecond of the day, so that the expiration still shows that day when it is
  // formatted without milliseconds.
  if (isDay) moment.setUTCHours(23, 59, 59, 999)
  if (moment <= now) throw invalid(field, 'future')
  return moment
}

/**
 * Returns a time unchanged. Throws `invalid_input` naming `field` for years before 1, because
 * PostgreSQL formats them differently.
 */
export function requireYear(field: string, moment: Date | null): Date | null {
  if (moment && moment.getUTCFullYear() < 1) throw invalid(field, 'unreal_date')
  return moment
}

/** Throws `invalid_input` naming `startsAt` if the link would expire before it starts. */
export function requireOrder(
  startsAt: Date | null | undefined,
  expiresAt: Date | null | undefined,
) {
  if (startsAt && expiresAt && startsAt >= expiresAt) {
    throw invalid('startsAt', 'before_expiration')
  }
}

function parseMoment(field: string, value: string): { moment: Date; isDay: boolean } {
  const match = PATTERN.exec(value)
  if (!match) throw invalid(field, 'day_or_time_form')
  const [, day, time = '00:00', seconds = ':00', offset = 'Z'] = match
  // Fractions are dropped, because times are shown without them.
  const text = `${day}T${time}${seconds.slice(0, 3)}`
  const local = new Date(`${text}.000Z`)
  const moment = new Date(local.getTime() - parseOffset(offset))
  // `Date` converts February 31 to March 3, so the result must match the input.
  // An offset may lead to a year that has no form of four digits. The comparison is false for NaN.
  const exists = moment.getUTCFullYear() <= 9999 && local.toISOString().startsWith(text)
  if (!exists) throw invalid(field, 'unreal_date')
  return { moment, isDay: match[2] === undefined }
}

/** Returns the milliseconds of an offset from UTC such as `+02:00`, or NaN if none has this value. */
function parseOffset(offset: string): number {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? []
  if (sign === undefined) return 0
  if (Number(hours) > 23 || Number(minutes) > 59) return Number.NaN
  return Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
