import type { OverlayType } from '../db/schema/pages.ts'

export type OverlayEntry = { id: number; type: OverlayType; name: string; createdAt: Date }

/** A card that visitors of a link see on top of its destination. */
export type Overlay = OverlayEntry & {
  text: string
  button: string | null
  link: string | null
  image: string | null
  /** The options of a poll. */
  options: string[]
}

/** A visitor's response to an overlay's form. */
export type Answer = {
  id: number
  /** The visited link, or null if it has been deleted. */
  linkId: number | null
  answer: Record<string, string>
  createdAt: Date
}
