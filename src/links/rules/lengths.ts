import { invalid } from '../../errors.ts'
import { isStorable } from '../../text.ts'

// The maximum numbers of characters in texts.
export const MAX_PASSWORD = 200
export const MAX_TITLE = 512
export const MAX_DESCRIPTION = 2048
export const MAX_PARAMETER_NAME = 256
export const MAX_PARAMETER_VALUE = 2048
export const MAX_URL = 8192

// The maximum numbers of entries in lists.
export const MAX_PARAMETERS = 100
export const MAX_PIXELS = 50

/** The highest number of clicks to which a link can be limited. */
export const MAX_CLICKS = 1_000_000

/**
 * Returns a text unchanged if it has at most `max` characters and PostgreSQL can store it.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function requireBoundedText(field: string, text: string, max: number): string {
  if (!isStorable(text)) {
    throw invalid(field, 'unsafe_text')
  }
  // A character has at most two UTF-16 units, so longer texts need not be split.
  if (text.length > 2 * max || [...text].length > max) {
    throw invalid(field, 'too_long', { max })
  }
  return text
}
