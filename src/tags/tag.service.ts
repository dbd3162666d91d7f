import type { Db } from '../db/pool.ts'
import * as queries from './tags.queries.ts'

/** Returns up to `limit` names of an account's tags in alphabetical order. */
export function tagNames(db: Db, accountId: number, limit: number): Promise<string[]> {
  return queries.tagNames(db, accountId, limit)
}
