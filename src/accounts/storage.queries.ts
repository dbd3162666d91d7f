import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'

/** Returns the plan of an account and the bytes that it stores. Triggers maintain these. */
export async function readStorage(
  db: Db,
  accountId: number,
): Promise<{ plan: 'free' | 'pro'; bytes: number }> {
  const row = await db
    .selectFrom('accounts')
    .select([
      sql<'free' | 'pro'>`case when expires_at <= now() then 'free' else plan end`.as('plan'),
      sql<string | null>`(
        select sum(rows) from row_counts where kind = 'bytes' and owner_id = accounts.id)`.as(
        'bytes',
      ),
    ])
    .where('id', '=', accountId)
    .executeTakeFirst()
  return { plan: row?.plan ?? 'free', bytes: Number(row?.bytes ?? 0) }
}
