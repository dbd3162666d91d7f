import { invalid } from '../errors.ts'

/** The brand of a domain's visitor pages. */
export type Brand = {
  /** `#rrggbb`, or null for the default color. */
  accent: string | null
  /** A PNG in base64, or null. */
  logo: string | null
  /** Whether the footer names this software, even on pages with a logo. */
  footer: boolean
}

/** The brand used if the host could not be looked up. */
export const NO_BRAND: Brand = { accent: null, logo: null, footer: false }

/**
 * Parses a color, and returns it in lower case.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseAccent(text: string, field = 'accent'): string {
  if (!/^#[0-9a-f]{6}$/i.test(text)) throw invalid(field, 'color_such_as')
  return text.toLowerCase()
}
