import type { Statistics } from '../clicks/read.ts'
import type { QrType } from './content/payload.ts'
import type { CodeStyle } from './drawing/style.ts'

/** A QR code as shown to its owner. */
export type QrCode = {
  id: number
  /** The last part of the URL of its image. */
  alias: string
  name: string
  type: QrType
  /** The link that counts the scans of a dynamic code, or null for a static code. */
  linkId: number | null
  /** Whether that link is one of the account's links, and not the internal link of the code. */
  usesAccountLink: boolean
  /** Whether the code encodes the short URL of an internal link. */
  hasOwnLink: boolean
  /** The short URL that a dynamic code encodes, or null for a static code. */
  shortUrl: string | null
  /** The title of the link with that short URL, or null. */
  linkTitle: string | null
  scans: number
  createdAt: Date
}

/** A code with its content and style. */
export type QrDetails = QrCode & {
  content: QrContent
  /** `rgb(R,G,B)`, or null for the default. */
  background: string | null
  foreground: string | null
  hasLogo: boolean
  style: CodeStyle
}

/**
 * The properties of a code as sent by a client. In an update, `undefined` keeps a field and null
 * clears it. In a creation, both mean the default.
 */
export type QrInput = {
  type: QrType
  data: unknown
  name?: string | null
  background?: string | null
  foreground?: string | null
  /** A URL, the name of one of the service's files, or the bytes of an image. */
  logo?: string | Buffer | null
  /** The names of shapes. */
  dots?: string | null
  eyes?: string | null
  caption?: string | null
}

/** A validated request. Checks that depend on stored data come later. */
export type PreparedQr = {
  type: QrType
  content: QrContent
  name?: string | null
  /** `rgb(R,G,B)` */
  background?: string | null
  foreground?: string | null
  /** A PNG from `normalizeLogo`. */
  logo?: Buffer | null
} & Partial<CodeStyle>

/** A dynamic code leads to its destination through a link. A static code contains its payload. */
export type QrContent =
  | {
      kind: 'dynamic'
      destination: string
      /**
       * The account's link to which the destination belongs. With `isExact`, the destination is
       * only the short URL of that link.
       */
      link?: { id: number; isExact: boolean } | undefined
    }
  | { kind: 'static'; payload: string }

/** The statistics of a static code. Its scans cannot be counted. */
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

/** Returns the URL of a code's image. */
export function getQrImageUrl(baseUrl: string, alias: string): string {
  return `${baseUrl}/qr/${alias}`
}
