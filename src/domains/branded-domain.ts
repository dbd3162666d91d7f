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

/** Whether a domain points to this service, points elsewhere, or has no IP address. */
export type DnsState = 'here' | 'elsewhere' | 'missing'

/** A registered host that has its own short links. */
export type BrandedDomain = {
  id: number
  accountId: number
  host: string
  origin: string
  redirectRoot: string | null
  redirect404: string | null
  /** The URL to which visitors of expired links are redirected. */
  expiredUrl: string | null
  /** Whether its links forward the visitor's query and path by default. */
  forwardQuery: boolean
  forwardPath: boolean
  /** The result of the last check. Only set if the domain is read for its owner. */
  dnsState?: DnsState | null
  dnsCheckedAt?: Date | null
  /** The brand of visitor pages. Only set if the domain is read for visits. */
  brand?: Brand
}

/**
 * Parses a color, and returns it in lower case.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseAccent(text: string, field = 'accent'): string {
  if (!/^#[0-9a-f]{6}$/i.test(text)) throw invalid(field, 'color_such_as')
  return text.toLowerCase()
}
