import { invalid } from '../../errors.ts'

const FORM = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2}):(\d{2}))?$/

/**
 * The moment, in UTC, from which a link is over: `YYYY-MM-DD HH:MM:SS`, or `YYYY-MM-DD` for the end
 * of that day.
 *
 * @throws AppError `invalid_input` naming `field` if the form or the date is wrong or it is past
 */
export function parseExpiry(field: string, value: string, now: Date): Date {
  const match = FORM.exec(value)
  if (!match) throw invalid(field, 'must have the form YYYY-MM-DD HH:MM:SS or YYYY-MM-DD')
  const [, year, month, day, hours = '00', minutes = '00', seconds = '00'] = match
  const written = `${year}-${month}-${day}T${hours}:${minutes}:${seconds}`
  const moment = new Date(`${written}.000Z`)
  // Date rolls the 31st of a short month over into the next one, so what it read is compared.
  if (Number.isNaN(moment.getTime()) || !moment.toISOString().startsWith(written)) {
    throw invalid(field, 'is not a date that exists')
  }
  // Not midnight: printed without the milliseconds, the moment must still show the day that was asked.
  if (match[4] === undefined) moment.setUTCHours(23, 59, 59, 999)
  if (moment <= now) throw invalid(field, 'must be in the future')
  return moment
}
