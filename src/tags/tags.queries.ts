import type { Db } from '../db/pool.ts'

/** Returns up to `limit` names of an account's tags in alphabetical order. */
export async function tagNames(db: Db, accountId: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('tags')
    .select('name')
    .where('account_id', '=', accountId)
    .orderBy('key')
    .limit(limit)
    .execute()
  return rows.map(({ name }) => name)
}
