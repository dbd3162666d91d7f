import { invalid } from '../errors.ts'
import { parseExpiry } from '../links/rules/expiry.ts'

const UNITS: Record<string, number> = { '': 1, s: 1, m: 60, h: 3600, d: 86_400 }
/** Ten years. All dates in this range can be formatted. */
const MAX_SECONDS = 3650 * 86_400

/**
 * Parses a row's id.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseId(field: string, value: string): number {
  const id = Number(value)
  if (!/^[1-9]\d*$/.test(value) || !Number.isSafeInteger(id)) {
    throw invalid(field, 'positive_whole_number')
  }
  return id
}

/**
 * Parses a whole number.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseCount(field: string, value: string): number {
  if (!/^\d{1,9}$/.test(value)) throw invalid(field, 'whole_number')
  return Number(value)
}

/**
 * Parses a duration such as `90`, `90s`, `30m`, `1h` or `7d` into milliseconds. A number alone
 * means seconds.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseDuration(field: string, value: string): number {
  const [, count, unit = ''] = /^(\d{1,12})([smhd]?)$/.exec(value) ?? []
  const seconds = Number(count) * (UNITS[unit] ?? Number.NaN)
  if (!(seconds <= MAX_SECONDS)) {
    throw invalid(field, 'duration')
  }
  return seconds * 1000
}

/**
 * Parses an expiration in UTC: `YYYY-MM-DD HH:MM:SS`, `YYYY-MM-DD` for the end of that day, or
 * `never`, for which it returns null.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseEnd(field: string, value: string, now: Date): Date | null {
  return value === 'never' ? null : parseExpiry(field, value, now)
}

/**
 * Parses a list in the form `a,b,c`, as lines, or as JSON. In JSON, values may contain commas.
 *
 * @throws AppError `invalid_input` naming `field`
 */
function parseList(field: string, value: string): unknown[] {
  if (value.trimStart().startsWith('[')) return parseJsonList(field, value)
  const separator = value.includes('\n') ? '\n' : ','
  return value
    .split(separator)
    .map((entry) => entry.trim())
    .filter(Boolean)
}

/**
 * Parses a list of texts.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseTexts(field: string, value: string): string[] {
  return parseList(field, value).map((entry) => {
    if (typeof entry !== 'string') throw invalid(field, 'list_of_texts')
    return entry
  })
}

/**
 * Parses links, each a URL, `Title=URL` or, in JSON, `{"title": …, "url": …}`.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseLinks(field: string, value: string): { title?: string; url: string }[] {
  return parseList(field, value).map((entry): { title?: string; url: string } => {
    if (typeof entry === 'string') return splitTitle(entry)
    const { title, url } = (entry ?? {}) as { title?: unknown; url?: unknown }
    if (typeof url !== 'string' || (title !== undefined && typeof title !== 'string')) {
      throw invalid(field, 'links_of_titles', { example: '{"title": …, "url": …}' })
    }
    return title === undefined ? { url } : { url, title }
  })
}

function splitTitle(entry: string): { title?: string; url: string } {
  const [, title, url] = /^([^=]*)=\s*(https?:\/\/.*)$/is.exec(entry) ?? []
  // A URL may contain another URL after an equals sign.
  if (title === undefined || url === undefined || title.includes('://')) return { url: entry }
  return { title, url }
}

function parseJsonList(field: string, value: string): unknown[] {
  try {
    return JSON.parse(value) as unknown[]
  } catch {
    throw invalid(field, 'json_invalid')
  }
}

/**
 * Parses one of several words.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseChoice<Word extends string>(
  field: string,
  value: string,
  words: readonly Word[],
): Word {
  const word = words.find((each) => each === value)
  if (word === undefined) throw invalid(field, 'one_of', { choices: words.join(', ') })
  return word
}

/**
 * Parses `on` or `off`.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseSwitch(field: string, value: string): boolean {
  if (value !== 'on' && value !== 'off') throw invalid(field, 'on_or_off')
  return value === 'on'
}
