import type { Section } from '../shell/navigation.ts'

/** What a kind of resource is called, and where its pages are. */
export type Words = {
  section: Section
  /** `pixel` */
  name: string
  /** `Pixels` */
  many: string
  /** What it is for, in a sentence or two. */
  about: string
  /** What its deletion means, in a sentence. */
  deletion: string
}
