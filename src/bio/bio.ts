import type { Selectable } from 'kysely'
import type { BioLink, BioPageTable } from '../db/schema/pages.ts'
import type { ButtonTarget, HiddenReason } from './hidden-button.ts'

export const BIO_THEMES = ['auto', 'light', 'dark', 'color'] as const

/**
 * `auto` is light or dark, depending on the visitor's preference. `color` uses the page's own
 * color.
 */
export type BioTheme = Selectable<BioPageTable>['theme']

/**
 * A button. `clicks` is undefined if its clicks are not counted. `hidden` is the reason why
 * visitors do not see it.
 */
export type BioButton = BioLink & { clicks?: number; hidden?: HiddenReason | undefined }

/** A public page of links. */
export type BioPage = {
  id: number
  alias: string
  title: string
  text: string
  theme: BioTheme
  /** `#rrggbb`, used by the theme `color`. */
  color: string
  /** The hash of its picture, or null if it has none. */
  pictureHash: string | null
  links: BioButton[]
  createdAt: Date
}

/** A page and everything that determines what visitors see of it. */
export type VisitedBio = {
  bio: BioPage
  picture: Buffer | null
  isSuspended: boolean
  /** The links of its buttons by id. Deleted links are not included. */
  targets: ReadonlyMap<number, ButtonTarget>
}

/** Returns the links that belong to the page itself. They are deleted with it. */
export function listOwnLinks(buttons: readonly BioLink[]): { linkId: number; alias: string }[] {
  return buttons.flatMap(({ linkId, alias }) =>
    linkId === undefined || alias === undefined ? [] : [{ linkId, alias }],
  )
}
