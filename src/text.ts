import { invalid } from './errors.ts'

/** Returns whether PostgreSQL can store the text: well-formed Unicode without NUL characters. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed()
}

/** Returns the text without the characters that PostgreSQL cannot store. */
export function removeUnstorable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/**
 * Validates a text that a person entered. Returns it trimmed.
 *
 * @throws AppError `invalid_input` naming `field` if it is empty, has more than `max` characters,
 * or cannot be stored in PostgreSQL
 */
export function requireText(field: string, value: string, max: number): string {
  const text = value.trim()
  if (text === '') throw invalid(field, 'empty')
  if (!isStorable(text)) {
    throw invalid(field, 'unsafe_text')
  }
  if ([...text].length > max) throw invalid(field, 'too_long', { max })
  return text
}

/** Validates an optional text like `requireText`. Returns it trimmed, or null if it is empty. */
export function normalizeOptionalText(
  field: string,
  value: string | null | undefined,
  max: number,
): string | null {
  return value?.trim() ? requireText(field, value, max) : null
}

/**
 * Returns a text in the form for case-insensitive comparison: composed and lowercase, independent
 * of the language.
 */
export function foldCase(text: string): string {
  // The two lowercase sigmas are the same letter. The neighboring letters determine which of them
  // JavaScript produces.
  return text.normalize('NFC').toLowerCase().normalize('NFC').replaceAll('ς', 'σ')
}

/** Returns a text with its ASCII letters in lowercase, like `lower` in SQL with the collation "C". */
export function lowercaseAscii(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
