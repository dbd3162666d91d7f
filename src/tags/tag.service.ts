import { own, unscoped } from '../db/account-rows.ts'
import { AppError, invalid } from '../errors.ts'
import type { AccountScope } from '../scope.ts'
import { foldCase, requireText } from '../text.ts'

/** A tag as spelled by the user, and its key for comparisons. */
export type Tag = { name: string; key: string }

/** The maximum number of tags per link. */
export const MAX_TAGS = 20

const MAX_LENGTH = 50

/** Control characters and line breaks. A tag is one line of text. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** Returns a tag by its name, ignoring case, with its links. @throws AppError `not_found` */
export async function findTagWithLinks(
  scope: AccountScope,
  name: string,
): Promise<{ id: number; name: string; linkIds: number[] }> {
  const tag = await readTagWithLinks(scope, foldCase(name.trim()))
  if (!tag) throw new AppError('not_found')
  return tag
}

/** Returns up to `limit` names of an account's tags in alphabetical order. */
export async function listTagNames(scope: AccountScope, limit: number): Promise<string[]> {
  const rows = await own(scope)
    .selectFrom('tags')
    .select('name')
    .orderBy('key')
    .limit(limit)
    .execute()
  return rows.map(({ name }) => name)
}

/** Returns the tag with this key and the ids of its links, or undefined if there is none. */
async function readTagWithLinks(
  scope: AccountScope,
  key: string,
): Promise<{ id: number; name: string; linkIds: number[] } | undefined> {
  const tag = await own(scope)
    .selectFrom('tags')
    .select(['id', 'name'])
    .where('key', '=', key)
    .executeTakeFirst()
  if (!tag) return undefined
  const rows = await unscoped(scope)
    .selectFrom('link_tags')
    .select('link_id')
    .where('tag_id', '=', tag.id)
    .orderBy('link_id')
    .execute()
  return { ...tag, linkIds: rows.map(({ link_id }) => link_id) }
}

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
function parseTag(field: string, name: string): Tag {
  const text = requireText(field, name.normalize('NFC'), MAX_LENGTH)
  if (CONTROLS.test(text)) throw invalid(field, 'control_characters')
  return { name: text, key: foldCase(text) }
}
