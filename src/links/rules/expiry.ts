import { invalid } from '../../errors.ts'

const PATTERN = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2}):(\d{2}))?$/

/**
 * Parses a start time in UTC: `YYYY-MM-DD HH:MM:SS`, or `YYYY-MM-DD` for the beginning of the day.
 *
 * @throws AppError `invalid_input` naming `field` if the format or the date is invalid
 */
export function parseStart(field: string, value: string): Date {
  return parseMoment(field, value).moment
}

/**
 * Parses an expiration in UTC: `YYYY-MM-DD HH:MM:SS`, or `YYYY-MM-DD` for the end of the day.
 *
 * @throws AppError `invalid_input` naming `field` if the format or the date is invalid, or if the
 * date is in the past
 */
export function parseExpiry(field: string, value: string, now: Date): Date {
  const { moment, isDay } = parseMoment(field, value)
  // Uses the last millisecond of the day, so that the expiration still shows that day when it is
  // formatted without milliseconds.
  if (isDay) moment.setUTCHours(23, 59, 59, 999)
  if (moment <= now) throw invalid(field, 'must be in the future')
  return moment
}

/**
 * Returns a time unchanged. Throws `invalid_input` naming `field` for years before 1, because
 * PostgreSQL formats them differently.
 */
export function requireYear(field: string, moment: Date | null): Date | null {
  if (moment && moment.getUTCFullYear() < 1) throw invalid(field, 'is not a date that exists')
  return moment
}

/** Throws `invalid_input` naming `startsAt` if the link would expire before it starts. */
export function requireOrder(
  startsAt: Date | null | undefined,
  expiresAt: Date | null | undefined,
) {
  if (startsAt && expiresAt && startsAt >= expiresAt) {
    throw invalid('startsAt', 'must be before the expiration')
  }
}

function parseMoment(field: string, value: string): { moment: Date; isDay: boolean } {
  const match = PATTERN.exec(value)
  if (!match) throw invalid(field, 'must have the form YYYY-MM-DD HH:MM:SS or YYYY-MM-DD')
  const [, year, month, day, hours = '00', minutes = '00', seconds = '00'] = match
  const text = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}`
  const moment = new Date(`${text}.000Z`)
  // `Date` converts February 31 to March 3, so the result must match the input.
  if (Number.isNaN(moment.getTime()) || !moment.toISOString().startsWith(text)) {
    throw invalid(field, 'is not a date that exists')
  }
  return { moment, isDay: match[4] === undefined }
}
