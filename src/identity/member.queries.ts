import { sql } from 'kysely'
import { own } from '../db/account-rows.ts'
import type { Tx } from '../db/transaction.ts'
import type { AccountScope } from '../scope.ts'
import type { Role } from './user.ts'

/**
 * Locks an account until the transaction ends, so that only one transaction changes its members at
 * a time. Returns whether the account exists and is not suspended.
 */
export async function lockMembers(scope: AccountScope<Tx>): Promise<boolean> {
  const row = await own(scope)
    .selectFrom('accounts')
    .select('suspended_at')
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined && row.suspended_at === null
}

/** Adds a member. Returns false if the user already is a member. */
export async function insertMember(
  tx: Tx,
  member: { accountId: number; userId: number; role: Role },
): Promise<boolean> {
  const row = await tx
    .insertInto('members')
    .values({ account_id: member.accountId, user_id: member.userId, role: member.role })
    .onConflict((conflict) => conflict.doNothing())
    .returning('user_id')
    .executeTakeFirst()
  return row !== undefined
}

export async function findRole(scope: AccountScope, userId: number): Promise<Role | undefined> {
  const row = await own(scope)
    .selectFrom('members')
    .select('role')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.role
}

/** Changes a member's role. A new owner comes after existing owners in lists. */
export async function updateRole(
  scope: AccountScope<Tx>,
  userId: number,
  role: Role,
): Promise<void> {
  await own(scope)
    .updateTable('members')
    .set({ role, ...(role === 'owner' && { created_at: sql<Date>`clock_timestamp()` }) })
    .where('user_id', '=', userId)
    .where('role', '<>', role)
    .execute()
}

/** Deletes a membership and the user's sessions in the account. */
export async function deleteMember(scope: AccountScope<Tx>, userId: number): Promise<void> {
  for (const table of ['members', 'sessions'] as const) {
    await own(scope).deleteFrom(table).where('user_id', '=', userId).execute()
  }
}

export async function hasOwner(scope: AccountScope<Tx>): Promise<boolean> {
  const row = await own(scope)
    .selectFrom('members')
    .select('user_id')
    .where('role', '=', 'owner')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
