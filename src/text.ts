import { invalid } from './errors.ts'

/**
 * A text that somebody typed, without the blanks around it.
 *
 * @throws AppError `invalid_input` naming `field` when nothing is left of it, when it is longer than
 *   `max` characters or when PostgreSQL could not hold it
 */
export function requireText(field: string, value: string, max: number): string {
  const text = value.trim()
  if (text === '') throw invalid(field, 'must not be empty')
  if (text.includes('\0') || !text.isWellFormed()) {
    throw invalid(field, 'must be text without NUL characters or broken surrogates')
  }
  if ([...text].length > max) throw invalid(field, `must be at most ${max} characters long`)
  return text
}

/** The same for a text that may be left out: null when it is. */
export function optionalText(
  field: string,
  value: string | null | undefined,
  max: number,
): string | null {
  return value?.trim() ? requireText(field, value, max) : null
}
