const PLAIN = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?$/

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
  [/^\d{13}$/, (text) => new Date(Number(text))],
  // The day number of a spreadsheet, from 1995 to 2099, with the time as its fraction. Others, such
  // as 86400, are durations.
  [
    /^(?:3[5-9]|[4-6]\d|7[0-2])\d{3}(?:[.,]\d{1,12})?$/,
    (text) => {
      const days = Number(text.replace(',', '.')) - SHEET_EPOCH
      return new Date(Math.round((days * DAY_MS) / 1000) * 1000)
    },
  ],
  [/^\d{1,4}[./-]\d/, parseNumericDate],
  [/^[a-z0-9 ,.:/+()-]{8,80}$/i, parseNamedDate],
]

/**
 * Parses a time in the formats of other services: ISO 8601, seconds or milliseconds since 1970, the
 * day number of a spreadsheet, with an English month name, or in numbers such as `31/12/2026`. The
 * time zone defaults to UTC, and a date means the start of the day. Returns undefined for anything
 * else, such as `02/01/2026`, which is ambiguous.
 */
export function parseMoment(value: string): Date | undefined {
  const text = cleanText(value)
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

/** The order of day and month in dates such as `02/01/2026`. */
export const DATE_ORDERS = ['dmy', 'mdy'] as const
export type DateOrder = (typeof DATE_ORDERS)[number]

const TIME =
  /^(?:,?\s*(?:at\s)?|[T:])(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?(?:\s*([ap])\.?\s?m\.?)?/i
const ZONE = /^\s*(?:Z|(?:UTC|GMT)?(?:([+-])(\d{2})(?::?(\d{2}))?)?)?(?:\s*\([a-z ]*\))?$/i
const DATE = /^(\d{1,4})([./-])(\d{1,2})\2(\d{4}|\d{1,2})(?!\d)/

type Parts = { numbers: [number, number, number]; isYearFirst: boolean; rest: string }

/**
 * Parses a date in numbers, with or without a time: the year first, as in `2026/1/31`, or last, as
 * in `31.1.2026 10:30` and `1/31/26, 10:30 PM`. Without an order, returns undefined if both numbers
 * may be the month.
 */
export function parseNumericDate(text: string, order?: DateOrder): Date | undefined {
  const parts = readParts(text)
  if (!parts) return undefined
  const [first, second, third] = parts.numbers
  if (parts.isYearFirst) return toDate([first, second, third], parts.rest)
  const ownOrder = findOwnOrder(first, second) ?? order
  if (ownOrder === undefined) return undefined
  const [day, month] = ownOrder === 'dmy' ? [first, second] : [second, first]
  return toDate([completeYear(third), month, day], parts.rest)
}

/**
 * Returns the order of a date with a day above 12, `ambiguous` if both orders are possible, or
 * undefined if the text is not such a date or does not tell, such as `01/01/2026`.
 */
export function findDateOrder(text: string): DateOrder | 'ambiguous' | undefined {
  const parts = readParts(text)
  if (!parts || parts.isYearFirst) return undefined
  const [first, second] = parts.numbers
  if (first === second) return undefined
  const order = findOwnOrder(first, second)
  if (order === undefined) return 'ambiguous'
  return parseNumericDate(text) && order
}

function findOwnOrder(first: number, second: number): DateOrder | undefined {
  if (first === second) return 'dmy'
  if (first > 12) return 'dmy'
  return second > 12 ? 'mdy' : undefined
}

function readParts(value: string): Parts | undefined {
  const text = cleanText(value)
  const [whole = '', first = '', , second = '', third = ''] = DATE.exec(text) ?? []
  if (whole === '') return undefined
  const isYearFirst = first.length === 4
  const isValid = isYearFirst ? third.length <= 2 : first.length <= 2 && third.length !== 1
  const numbers: Parts['numbers'] = [Number(first), Number(second), Number(third)]
  return isValid ? { numbers, isYearFirst, rest: text.slice(whole.length) } : undefined
}

/** Trims a text and replaces the narrow spaces that browsers write before `PM`. */
function cleanText(value: string): string {
  return value.trim().replaceAll(/[\u00a0\u202f]/g, ' ')
}

const MONTHS =
  'january february march april may june july august september october november december'.split(' ')
/** Day, month and year in each order, after the day of the week. */
const NAMED: readonly [form: RegExp, order: readonly [day: number, month: number, year: number]][] =
  [
    [
      /^(?:[a-z]{3,9},? )?(\d{1,2})(?:st|nd|rd|th)?[ ./-]+([a-z]+)[ .,/-]+(\d{4}|\d{2})(?!\d)/i,
      [1, 2, 3],
    ],
    [
      /^(?:[a-z]{3,9},? )?([a-z]+)[ ./-]+(\d{1,2})(?:st|nd|rd|th)?[ ,/-]+(\d{4}|\d{2})(?!\d)/i,
      [2, 1, 3],
    ],
    [/^(\d{4})[ /-]+([a-z]+)[ ./-]+(\d{1,2})(?!\d)/i, [3, 2, 1]],
  ]

/**
 * Parses a date with an English month name, as in `Jan 2, 2026 3:04 PM`, in which the order of day
 * and month is clear. `Date` would ignore zones such as `EST`, or take the server's.
 */
function parseNamedDate(text: string): Date | undefined {
  for (const [form, [day, month, year]] of NAMED) {
    const parts = form.exec(text)
    const name = parts?.[month]?.toLowerCase() ?? ''
    const index = name.length < 3 ? -1 : MONTHS.findIndex((each) => each.startsWith(name))
    if (!parts || index < 0) continue
    const numbers: Parts['numbers'] = [
      completeYear(Number(parts[year])),
      index + 1,
      Number(parts[day]),
    ]
    return toDate(numbers, text.slice(parts[0].length))
  }
  return undefined
}

/** Years of two digits are from 1970 to 2069. */
function completeYear(year: number): number {
  if (year >= 100) return year
  return year < 70 ? 2000 + year : 1900 + year
}

function toDate([year, month, day]: Parts['numbers'], rest: string): Date | undefined {
  const [matched = '', hour = '0', minute = '0', second = '0', half] = TIME.exec(rest) ?? []
  const zone = ZONE.exec(rest.slice(matched.length))
  if (!zone || (half !== undefined && !(Number(hour) >= 1 && Number(hour) <= 12))) return undefined
  const hours = half === undefined ? Number(hour) : toHours(Number(hour), half)
  if (hours > 23 || Number(minute) > 59 || Number(second) > 59) return undefined
  const date = new Date(Date.UTC(year, month - 1, day, hours, Number(minute), Number(second)))
  // `Date` converts February 31 to March 3.
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const [, sign, zoneHours = '0', zoneMinutes = '0'] = zone
  const offset = (Number(zoneHours) * 60 + Number(zoneMinutes)) * (sign === '-' ? -1 : 1)
  return new Date(date.getTime() - offset * 60_000)
}

function toHours(hour: number, half: string): number {
  return (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
}
