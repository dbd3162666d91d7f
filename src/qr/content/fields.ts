import { invalid } from '../../errors.ts'

type TextRule = {
  /** The most UTF-16 units; what the code can hold is decided when it is encoded. */
  max: number
  /** Whether tabs and line breaks may be in it. */
  multiline?: boolean
}

/**
 * Reads one text of a QR code's data, `''` when it is absent (`undefined`, `null`, `''`, `false`).
 * Integers count as their digits: clients send phone numbers and zip codes so. Throws
 * `invalid_input` naming the field for other types, text that is too long, control characters, and
 * halves of a surrogate pair, which UTF-8 cannot carry.
 */
export function readText(field: string, value: unknown, { max, multiline }: TextRule): string {
  if (value === undefined || value === null || value === false) return ''
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value
  if (typeof text !== 'string') throw invalid(field, 'must be a string')
  if (text.length > max) throw invalid(field, `must have at most ${max} characters`)
  if (!text.isWellFormed()) throw invalid(field, 'must be valid Unicode text')
  if ((multiline ? controls : controlsAndBreaks).test(text)) {
    throw invalid(field, 'must not contain control characters')
  }
  return text
}

/** The same for a text that must be there. */
export function readRequiredText(field: string, value: unknown, rule: TextRule): string {
  const text = readText(field, value, rule)
  if (text.trim() === '') throw invalid(field, 'is required')
  return text
}

/** The fields of an object that a client sent. Throws `invalid('data', …)` for anything else. */
export function readFields(data: unknown, expected: string): Record<string, unknown> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw invalid('data', `must be ${expected}`)
  }
  // A copy of what is its own: `data` may come with a prototype of the client's making.
  return Object.assign(Object.create(null), data)
}

const controlsAndBreaks = /\p{Cc}/u
const controls = /(?![\t\n\r])\p{Cc}/u
