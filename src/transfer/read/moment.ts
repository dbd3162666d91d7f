import { parseNumericDate } from './numeric-date.ts'

const PLAIN = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?$/

const MONTH = /(?:^|[^a-z])(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i
const DAY_MS = 86_400_000
/** The day number of 1970-01-01 in spreadsheets. */
const SHEET_EPOCH = 25_569

/** Other formats, each with its parser. */
const FORMATS: readonly [form: RegExp, read: (text: string) => Date | undefined][] = [
  [
    // PostgreSQL writes the offset `+00`.
    /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?\s?(Z|UTC|GMT|[+-]\d{2}(:?\d{2})?)$/i,
    (text) => {
      const [, time = '', offset = 'Z'] =
        /^(.{16,29}?)\s?([+-]\d{2}.*)?(?:[A-Z]*)$/i.exec(text) ?? []
      return new Date(time.replace(' ', 'T') + (offset.length === 3 ? `${offset}:00` : offset))
    },
  ],
  [/^\d{9,10}$/, (text) => new Date(Number(text) * 1000)],
  [/^\d{12,13}$/, (text) => new Date(Number(text))],
  // The day number of a spreadsheet, from 1927 to 2173, with the time as its fraction.
  [
    /^[1-9]\d{4}(?:[.,]\d{1,12})?$/,
    (text) => {
      const days = Number(text.replace(',', '.')) - SHEET_EPOCH
      return new Date(Math.round((days * DAY_MS) / 1000) * 1000)
    },
  ],
  [/^\d{1,4}[./-]\d/, parseNumericDate],
  // With an English month name, as in `Jan 2, 2026 3:04 PM`, the order of day and month is
  // unambiguous.
  [/^[a-z0-9 ,:+-]{8,40}$/i, (text) => (MONTH.test(text) ? readNamedMonth(text) : undefined)],
]

/** Reads a date with an English month name. Without a zone, it must have the day that was read. */
function readNamedMonth(text: string): Date | undefined {
  if (/gmt|utc|[+-]\d{4}$/i.test(text)) return new Date(text)
  const moment = new Date(`${text} UTC`)
  return new RegExp(`(^|\\D)0?${moment.getUTCDate()}(\\D|$)`).test(text) ? moment : undefined
}

/**
 * Parses a time in the formats of other services: ISO 8601, seconds or milliseconds since 1970, the
 * day number of a spreadsheet, with an English month name, or in numbers such as `31/12/2026`. The
 * time zone defaults to UTC, and a date means the start of the day. Returns undefined for anything
 * else, such as `02/01/2026`, which is ambiguous.
 */
export function parseMoment(value: string): Date | undefined {
  const text = value.trim()
  const [, day, time = '00:00:00'] = PLAIN.exec(text) ?? []
  if (day) return requireExistingDay(day, new Date(`${day}T${time}Z`))
  const [, read] = FORMATS.find(([format]) => format.test(text)) ?? []
  const moment = read?.(text)
  return moment && !Number.isNaN(moment.getTime()) ? moment : undefined
}

/** A text with a time of day, or a number of seconds or milliseconds. */
const WITH_TIME = /:|\d\s?[ap]\.?m|^\d{5}[.,]|^\d{6,}$/i

/** Returns whether a date that can be read has no time. */
export function isDay(text: string): boolean {
  return !WITH_TIME.test(text.trim())
}

/** Returns the moment of a text, or the end of its day if it has no time, like an expiration in the API. */
export function toEndOfDay(moment: Date, text: string): Date {
  return isDay(text) ? new Date(moment.getTime() + DAY_MS - 1) : moment
}

/**
 * Returns the moment if the day exists. `Date` converts February 31 to March 3, so the result must
 * be compared.
 */
function requireExistingDay(day: string, moment: Date): Date | undefined {
  if (Number.isNaN(moment.getTime())) return undefined
  return moment.toISOString().startsWith(day) ? moment : undefined
}
