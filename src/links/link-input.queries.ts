import type { Db } from '../db/pool.ts'

/** The account's domain of that host. */
export function findOwnDomain(
  db: Db,
  accountId: number,
  host: string,
): Promise<{ id: number; origin: string } | undefined> {
  return db
    .selectFrom('domains')
    .select(['id', 'origin'])
    .where('account_id', '=', accountId)
    .where('host', '=', host)
    .executeTakeFirst()
}

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
