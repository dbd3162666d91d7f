import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { foldCase } from '../text.ts'

/** Returns a tag by its name, ignoring case, with its links. @throws AppError `not_found` */
export async function findTagWithLinks(
  db: Db,
  accountId: number,
  name: string,
): Promise<{ id: number; name: string; linkIds: number[] }> {
  const tag = await readTagWithLinks(db, accountId, foldCase(name.trim()))
  if (!tag) throw new AppError('not_found')
  return tag
}

/** Returns up to `limit` names of an account's tags in alphabetical order. */
export async function listTagNames(db: Db, accountId: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('tags')
    .select('name')
    .where('account_id', '=', accountId)
    .orderBy('key')
    .limit(limit)
    .execute()
  return rows.map(({ name }) => name)
}

/** Returns the tag with this key and the ids of its links, or undefined if there is none. */
async function readTagWithLinks(
  db: Db,
  accountId: number,
  key: string,
): Promise<{ id: number; name: string; linkIds: number[] } | undefined> {
  const tag = await db
    .selectFrom('tags')
    .select(['id', 'name'])
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .executeTakeFirst()
  if (!tag) return undefined
  const rows = await db
    .selectFrom('link_tags')
    .select('link_id')
    .where('tag_id', '=', tag.id)
    .orderBy('link_id')
    .execute()
  return { ...tag, linkIds: rows.map(({ link_id }) => link_id) }
}
