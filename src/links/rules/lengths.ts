import { invalid } from '../../errors.ts'

/** Characters, and entries of a list, that a link may have of each. */
export const MAX_PASSWORD = 200
export const MAX_TITLE = 512
export const MAX_DESCRIPTION = 2048
export const MAX_PARAMETERS = 100
export const MAX_PARAMETER_NAME = 256
export const MAX_PARAMETER_VALUE = 2048
export const MAX_PIXELS = 50

/**
 * A text as it is stored: as it was sent, within bounds and such that PostgreSQL can hold it.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function boundedText(field: string, text: string, max: number): string {
  if (text.includes('\0') || !text.isWellFormed()) {
    throw invalid(field, 'must be text without NUL characters or broken surrogates')
  }
  // A character is up to two units, so what is longer than that need not be taken apart.
  if (text.length > 2 * max || [...text].length > max) {
    throw invalid(field, `must be at most ${max} characters long`)
  }
  return text
}
