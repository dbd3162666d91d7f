import type { Section } from '../shell/navigation.ts'

/** The names of a kind of resource, and the path of its pages. */
export type Words = {
  section: Section
  /** Singular, such as `pixel`. */
  name: string
  /** Plural heading, such as `Pixels`. */
  many: string
  /** The title of the form for a new one. By default in English. */
  new?: string
  /** The text of an empty list. By default in English. */
  none?: string
  /** Its purpose, in a sentence or two. */
  about: string
  /** The consequences of deleting it, in a sentence. */
  deletion: string
}

/** Returns the title of the form for a new resource. */
export function titleOfNew({ name, new: title }: Words): string {
  return title ?? `New ${name}`
}

/** Returns the text of an empty list. */
export function textOfNone({ name, none }: Words): string {
  return none ?? `No ${name}s yet.`
}
