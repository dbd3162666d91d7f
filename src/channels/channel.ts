/** A named group of links, bio pages and QR codes. */
export type Channel = {
  id: number
  name: string
  description: string
  /** `#RGB` or `#RRGGBB`, or empty. */
  color: string
  starred: boolean
}

/**
 * The properties of a channel as sent by a client. In an update, `undefined` keeps a field and null
 * clears it. In a creation, both mean the default.
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
  /** The URL of its content: a link's destination, a bio page, a QR code's image. */
  preview: string
  /** The URL that a visitor opens. */
  link: string
  createdAt: Date
}
