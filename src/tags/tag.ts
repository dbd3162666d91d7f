import { invalid } from '../errors.ts'
import { requireText } from '../text.ts'

/** A tag as somebody spelt it, and as it is compared with others. */
export type Tag = { name: string; key: string }

/** Tags of one link. */
export const MOST_TAGS = 20
const LONGEST = 50
/** Controls and line breaks: a tag is one line of text. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/u

/**
 * The tags of a link, in the order given and each once.
 *
 * @throws AppError `invalid_input` naming `field`, or the entry that is no tag
 */
export function parseTags(field: string, names: readonly string[]): Tag[] {
  const tags = new Map<string, Tag>()
  for (const [index, name] of names.entries()) {
    const tag = parseTag(`${field}[${index}]`, name)
    if (!tags.has(tag.key)) tags.set(tag.key, tag)
    if (tags.size > MOST_TAGS) throw invalid(field, `must have at most ${MOST_TAGS} entries`)
  }
  return [...tags.values()]
}

/**
 * One tag: 1 to 50 characters on a line.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseTag(field: string, name: string): Tag {
  const text = requireText(field, name.normalize('NFC'), LONGEST)
  if (CONTROLS.test(text)) throw invalid(field, 'must not contain control characters')
  return { name: text, key: foldCase(text) }
}

/** A text as it is compared without case: composed, in lower case, the same in every language. */
export function foldCase(text: string): string {
  // The two small sigmas are one letter, and which of them JavaScript takes depends on its neighbours.
  return text.normalize('NFC').toLowerCase().normalize('NFC').replaceAll('ς', 'σ')
}
