import type { Db } from '../db/pool.ts'

/** Returns whether the account owns a splash page or overlay. */
export async function ownsPage(
  db: Db,
  table: 'splash_pages' | 'overlays',
  accountId: number,
  id: number,
): Promise<boolean> {
  const row = await db
    .selectFrom(table)
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}
