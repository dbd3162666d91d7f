import type { OverlayType } from '../db/schema/pages.ts'

export type OverlayEntry = { id: number; type: OverlayType; name: string; createdAt: Date }

/** What visitors of a link meet before its target. */
export type Overlay = OverlayEntry & {
  text: string
  button: string | null
  link: string | null
  image: string | null
  /** The choices of a poll. */
  options: string[]
}

/** What a visitor sent with the form of an overlay. */
export type Answer = {
  id: number
  /** The link that was visited, null if it is gone since. */
  linkId: number | null
  answer: Record<string, string>
  createdAt: Date
}
