import type { BioLink } from '../db/schema/pages.ts'

/** A public page of links. */
export type BioPage = {
  id: number
  alias: string
  title: string
  text: string
  links: BioLink[]
  createdAt: Date
}
