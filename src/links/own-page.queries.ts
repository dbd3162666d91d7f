import type { Db } from '../db/pool.ts'

/** Whether the account has such a splash page or overlay. */
export async function isOwn(
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
