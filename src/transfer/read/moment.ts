const PLAIN = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?$/

/** Other formats, each with its parser. */
const FORMATS: readonly [form: RegExp, read: (text: string) => Date][] = [
  [
    /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})$/i,
    (text) => new Date(text.replace(' ', 'T').replace(/\s/g, '')),
  ],
  [/^\d{9,10}$/, (text) => new Date(Number(text) * 1000)],
  [/^\d{12,13}$/, (text) => new Date(Number(text))],
  // With an English month name, as in `Jan 2, 2026 3:04 PM`, the order of day and month is
  // unambiguous.
  [
    /^(?=.*[a-z]{3})[a-z0-9 ,:+-]{8,40}$/i,
    (text) => new Date(/gmt|utc|[+-]\d{4}$/i.test(text) ? text : `${text} UTC`),
  ],
]

/**
 * Parses a time in the formats of other services: ISO 8601, seconds or milliseconds since 1970, or
 * with an English month name. The time zone defaults to UTC, and a date means the start of the day.
 * Returns undefined for anything else, such as `02/01/2026`, which is ambiguous.
 */
export function parseMoment(value: string): Date | undefined {
  const text = value.trim()
  const [, day, time = '00:00:00'] = PLAIN.exec(text) ?? []
  if (day) return requireExistingDay(day, new Date(`${day}T${time}Z`))
  const [, read] = FORMATS.find(([format]) => format.test(text)) ?? []
  const moment = read?.(text)
  return moment && !Number.isNaN(moment.getTime()) ? moment : undefined
}

/**
 * Returns the moment if the day exists. `Date` converts February 31 to March 3, so the result must
 * be compared.
 */
function requireExistingDay(day: string, moment: Date): Date | undefined {
  if (Number.isNaN(moment.getTime())) return undefined
  return moment.toISOString().startsWith(day) ? moment : undefined
}
