const PLAIN = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?$/

/** The other forms, each with how it is read. */
const FORMS: readonly [form: RegExp, read: (text: string) => Date][] = [
  [
    /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})$/i,
    (text) => new Date(text.replace(' ', 'T').replace(/\s/g, '')),
  ],
  [/^\d{9,10}$/, (text) => new Date(Number(text) * 1000)],
  [/^\d{12,13}$/, (text) => new Date(Number(text))],
  // The month by its English name, as in `Jan 2, 2026 3:04 PM`: which number is the day is plain.
  [
    /^(?=.*[a-z]{3})[a-z0-9 ,:+-]{8,40}$/i,
    (text) => new Date(/gmt|utc|[+-]\d{4}$/i.test(text) ? text : `${text} UTC`),
  ],
]

/**
 * A moment as other services write it: ISO 8601, seconds or milliseconds since 1970, or with the
 * month's English name. What names no zone is UTC, and a day alone its beginning. Undefined for all
 * else, such as `02/01/2026`, of which nobody knows which number is the month.
 */
export function parseMoment(value: string): Date | undefined {
  const text = value.trim()
  const [, day, time = '00:00:00'] = PLAIN.exec(text) ?? []
  if (day) return onDay(day, new Date(`${day}T${time}Z`))
  const [, read] = FORMS.find(([form]) => form.test(text)) ?? []
  const moment = read?.(text)
  return moment && !Number.isNaN(moment.getTime()) ? moment : undefined
}

/** Date rolls the 31st of a short month over into the next one. */
function onDay(day: string, moment: Date): Date | undefined {
  if (Number.isNaN(moment.getTime())) return undefined
  return moment.toISOString().startsWith(day) ? moment : undefined
}
