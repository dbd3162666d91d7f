import type { Section } from '../shell/navigation.ts'

/** The texts about a kind of resource, and the path of its list. */
export type Words = {
  section: Section
  /** Plural heading, such as `Pixels`. */
  many: string
  /** The title of the form for a new resource. */
  new: string
  /** The text of an empty list. */
  none: string
  /** The purpose of the resources, in a sentence or two. */
  about: string
  /** The consequences of deleting a resource, in a sentence or two. */
  deletion: string
}
