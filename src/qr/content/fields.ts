import { invalid, type ProblemCode } from '../../errors.ts'

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
  if (typeof text !== 'string') throw invalid(field, 'string')
  if (text.length > max) throw invalid(field, 'at_most_characters', { max })
  if (!text.isWellFormed()) throw invalid(field, 'unicode')
  if ((multiline ? controls : controlsAndBreaks).test(text)) {
    throw invalid(field, 'control_characters')
  }
  return text
}

/** Reads a required text. */
export function readRequiredText(field: string, value: unknown, rule: TextRule): string {
  const text = readText(field, value, rule)
  if (text.trim() === '') throw invalid(field, 'required')
  return text
}

/**
 * Returns the fields of an object sent by a client. Throws `invalid_input` naming `data` for
 * anything else. `expected` is the problem of the error.
 */
export function readFields(data: unknown, expected: ProblemCode): Record<string, unknown> {
  if (typeof data !== 'object' || data === null || Array.isArray(data)) {
    throw invalid('data', expected)
  }
  // Copies only own properties, because a client could choose the prototype of `data`.
  return Object.assign(Object.create(null), data)
}

const controlsAndBreaks = /\p{Cc}/u
const controls = /(?![\t\n\r])\p{Cc}/u
