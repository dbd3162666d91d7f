import type { Db } from '../db/pool.ts'
import { tagNames } from './tags.queries.ts'

/** What there is to know of an account's tags beside the links that have them. */
export function createTags({ db }: { db: Db }) {
  return {
    /** Their names in alphabetical order, `limit` of them at most. */
    names: (accountId: number, limit: number): Promise<string[]> => tagNames(db, accountId, limit),
  }
}
