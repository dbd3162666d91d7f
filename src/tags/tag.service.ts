import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import { foldCase } from '../text.ts'
import * as queries from './tags.queries.ts'

/** Returns up to `limit` names of an account's tags in alphabetical order. */
export function listTagNames(db: Db, accountId: number, limit: number): Promise<string[]> {
  return queries.listTagNames(db, accountId, limit)
}

/** Returns a tag by its name, ignoring case, with its links. @throws AppError `not_found` */
export async function findTagWithLinks(
  db: Db,
  accountId: number,
  name: string,
): Promise<{ id: number; name: string; linkIds: number[] }> {
  const tag = await queries.findTagWithLinks(db, accountId, foldCase(name.trim()))
  if (!tag) throw new AppError('not_found')
  return tag
}
