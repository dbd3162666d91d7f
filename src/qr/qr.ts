import type { Statistics } from '../clicks/read.ts'
import type { QrType } from './content/payload.ts'

/** A QR code as its owner sees it. */
export type QrCode = {
  id: number
  /** The last part of the address of its image. */
  alias: string
  name: string
  type: QrType
  /** The link whose clicks are the scans of a dynamic code; null for a static code. */
  linkId: number | null
  /** Whether that is a link which the account has anyway, and not the code's own. */
  standsForLink: boolean
  /** Whether the short URL that it encodes is of a link that exists only for this code. */
  hasOwnLink: boolean
  /** The short URL that a dynamic code encodes; null for a static code. */
  shortUrl: string | null
  scans: number
  createdAt: Date
}

/** A code with what it says and how it looks. */
export type QrDetails = QrCode & {
  content: QrContent
  /** `rgb(R,G,B)`; null for the usual ones. */
  background: string | null
  foreground: string | null
  hasLogo: boolean
}

/**
 * What a client asks of a code, as it was sent. On an update `undefined` leaves a field as it is and
 * null clears it; on a creation the two are the same.
 */
export type QrInput = {
  type: QrType
  data: unknown
  name?: string | null
  background?: string | null
  foreground?: string | null
  /** A URL, the name of one of the service's files, or the bytes of a picture. */
  logo?: string | Buffer | null
}

/** A request that was read and, but for what depends on what is stored, found good. */
export type PreparedQr = {
  type: QrType
  content: QrContent
  name?: string | null
  /** `rgb(R,G,B)` */
  background?: string | null
  foreground?: string | null
  /** A PNG as `normalizeLogo` makes it. */
  logo?: Buffer | null
}

/** A dynamic code leads to its target by way of a link; a static one carries its payload itself. */
export type QrContent =
  | {
      kind: 'dynamic'
      target: string
      /** The link of the account that the target is a short URL of; `exact` if it is nothing more. */
      link?: { id: number; exact: boolean } | undefined
    }
  | { kind: 'static'; payload: string }

/** The statistics of a static code: nobody can know who reads it. */
export const noScans: Statistics = {
  clicks: 0,
  unavailable: false,
  visitors: 0,
  countries: [],
  referrers: [],
  browsers: [],
  systems: [],
  social: { facebook: 0, twitter: 0, instagram: 0 },
}

/** Where the image of a code is. */
export function qrImageUrl(baseUrl: string, alias: string): string {
  return `${baseUrl}/qr/${alias}`
}
