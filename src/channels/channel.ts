/** A named shelf for an account's links, bio pages and QR codes. */
export type Channel = {
  id: number
  name: string
  description: string
  /** `#RGB` or `#RRGGBB`, or `''` for none. */
  color: string
  starred: boolean
}

/**
 * What a client says of a channel. On an update `undefined` leaves a field as it is and null clears
 * it; on a creation the two are the same.
 */
export type ChannelInput = {
  name?: string | null
  description?: string | null
  color?: string | null
  starred?: boolean | null
}

export const ITEM_TYPES = ['links', 'bio', 'qr'] as const
export type ItemType = (typeof ITEM_TYPES)[number]

export type ChannelItem = {
  type: ItemType
  /** Its id within its type. */
  id: number
  title: string
  /** URL of what it holds: a link's target, a bio page, a QR code's image. */
  preview: string
  /** URL that a visitor opens. */
  link: string
  createdAt: Date
}
