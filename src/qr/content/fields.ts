import { invalid } from '../../errors.ts'

/**
 * The maximum length of a text that only has digits, in the largest code (ISO/IEC 18004, table 7).
 */
export const maxTextLength = 7089

type TextRule = {
  /**
   * The maximum length in UTF-16 units. Whether the text fits into a code is checked when it is
   * encoded.
   */
  max: number
  /** Whether tabs and line breaks are allowed. */
  multiline?: boolean
}

/**
 * Reads a text from a QR code's data. Returns an empty text if it is missing (`undefined`, `null`,
 * `''`, `false`). Accepts integers, because some clients send phone numbers and zip codes as
 * integers. Throws `invalid_input` naming the field for other types, text that is too long, control
 * characters, and lone surrogates, which cannot be encoded in UTF-8.
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

/** Reads a required text. */
export function readRequiredText(field: string, value: unknown, rule: TextRule): string {
  const text = readText(field, value, rule)
  if (text.trim() === '') throw invalid(field, 'is required')
  return text
}

/**
 * Returns the fields of an object sent by a client. Throws `invalid_input` naming `data` for
 * anything else. `expected` describes the object in the error.
 */
export function readFields(data: unknown, expected: string): Record<string, unknown> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw invalid('data', `must be ${expected}`)
  }
  // Copies only own properties, because a client could choose the prototype of `data`.
  return Object.assign(Object.create(null), data)
}

const controlsAndBreaks = /\p{Cc}/u
const controls = /(?![\t\n\r])\p{Cc}/u
