import type { Section } from '../shell/navigation.ts'

/** The names of a kind of resource, and the path of its pages. */
export type Words = {
  section: Section
  /** Singular, such as `pixel`. */
  name: string
  /** Plural heading, such as `Pixels`. */
  many: string
  /** Its purpose, in a sentence or two. */
  about: string
  /** The consequences of deleting it, in a sentence. */
  deletion: string
}
