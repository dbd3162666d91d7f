/** A named group of links, bio pages and QR codes. */
export type Channel = {
  id: number
  name: string
  description: string
  /** The color as `#RGB` or `#RRGGBB`, or an empty text. */
  color: string
  starred: boolean
}

/**
 * The properties of a channel as sent by a client. In an update, `undefined` leaves a field
 * unchanged and null clears it. In a creation, both select the default.
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
  /** The item's id within its type. */
  id: number
  title: string
  /** The URL of the content: the destination of a link, a bio page, or the image of a QR code. */
  preview: string
  /** The URL that a visitor opens. */
  link: string
  createdAt: Date
}
