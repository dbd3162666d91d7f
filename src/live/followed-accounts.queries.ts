import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'

/** Starts publishing an account's clicks for a number of seconds. */
export async function followAccount(db: Db, accountId: number, seconds: number): Promise<void> {
  const until = sql<Date>`now() + ${seconds}::int * interval '1 second'`
  await db
    .insertInto('followed_accounts')
    .values({ account_id: accountId, until })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ until }))
    .execute()
}

/** Returns the accounts whose clicks are published. */
export async function findFollowedAccounts(db: Db): Promise<Set<number>> {
  const rows = await db
    .selectFrom('followed_accounts')
    .select('account_id')
    .where('until', '>', sql<Date>`now()`)
    .execute()
  return new Set(rows.map(({ account_id }) => account_id))
}
