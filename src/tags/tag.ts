import { invalid } from '../errors.ts'
import { foldCase, requireText } from '../text.ts'

/** A tag as spelled by the user, and its key for comparisons. */
export type Tag = { name: string; key: string }

/** The maximum number of tags per link. */
export const MAX_TAGS = 20
const MAX_LENGTH = 50
/** Control characters and line breaks. A tag is one line of text. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/u

/**
 * Validates the tags of a link. Returns them in the same order, without duplicates.
 *
 * @throws AppError `invalid_input` naming `field`, or its invalid entry
 */
export function parseTags(field: string, names: readonly string[]): Tag[] {
  const tags = new Map<string, Tag>()
  for (const [index, name] of names.entries()) {
    const tag = parseTag(`${field}[${index}]`, name)
    if (!tags.has(tag.key)) tags.set(tag.key, tag)
    if (tags.size > MAX_TAGS) throw invalid(field, 'at_most_entries', { max: MAX_TAGS })
  }
  return [...tags.values()]
}

/**
 * Parses one tag: 1 to 50 characters on one line.
 *
 * @throws AppError `invalid_input` naming `field`
 */
export function parseTag(field: string, name: string): Tag {
  const text = requireText(field, name.normalize('NFC'), MAX_LENGTH)
  if (CONTROLS.test(text)) throw invalid(field, 'control_characters')
  return { name: text, key: foldCase(text) }
}
