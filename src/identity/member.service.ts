import { sql } from 'kysely'
import { own, unscoped } from '../db/account-rows.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx, transact } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import type { AccountScope } from '../scope.ts'
import { requireRemainingAdmin } from './admin.service.ts'
import { revokeConnectionsOf } from './key.queries.ts'
import * as queries from './member.queries.ts'
import { copyOwnerEmails, deleteUserRow } from './user.queries.ts'
import type { Member, Role } from './user.ts'

export type Membership = { accountId: number; username: string; role: Role; suspended: boolean }

/** Returns the members of an account, oldest first. */
export async function listMembers(scope: AccountScope): Promise<Member[]> {
  return own(scope)
    .selectFrom('members')
    .innerJoin('users', 'users.id', 'members.user_id')
    .select([
      'users.id',
      'users.email',
      'users.admin',
      'members.role',
      'members.created_at as since',
    ])
    .orderBy('members.created_at')
    .orderBy('users.id')
    .execute()
}

/** Returns the accounts of a user. Accounts that the user owns come first. */
export async function listMemberships(db: Db, userId: number): Promise<Membership[]> {
  const rows = await db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .select(['account_id as accountId', 'username', 'role', 'suspended_at'])
    .where('user_id', '=', userId)
    .orderBy(sql`role <> 'owner'`)
    .orderBy('members.created_at')
    .orderBy('account_id')
    .execute()
  return rows.map(({ suspended_at, ...row }) => ({ ...row, suspended: suspended_at !== null }))
}

/** Returns a user's role in an account. @throws AppError `not_found` */
export async function getRole(scope: AccountScope, userId: number): Promise<Role> {
  const role = await queries.findRole(scope, userId)
  if (!role) throw new AppError('not_found')
  return role
}

/**
 * Changes a member's role. With `from`, only changes it if the member still has that role.
 *
 * @throws AppError `not_found`, `last_owner`, `member_changed`
 */
export function changeRole(
  scope: AccountScope,
  userId: number,
  role: Role,
  from?: Role,
): Promise<void> {
  return transact(scope, async (tx) => {
    await requireMember(tx, userId, from)
    await queries.updateRole(tx, userId, role)
    // Only owners connect apps.
    if (role !== 'owner') await endConnections(tx, userId)
    await requireOwner(tx)
    await copyOwnerEmails(unscoped(tx), userId)
  })
}

/**
 * Removes a member and ends the member's sessions in the account. Links and keys are not deleted.
 * With `from`, only removes the member if they still have that role.
 *
 * @throws AppError `not_found`, `last_owner`, `last_admin`, `member_changed`
 */
export function removeMember(scope: AccountScope, userId: number, from?: Role): Promise<void> {
  return transact(scope, (tx) => endMembership(tx, userId, from))
}

/**
 * Deletes a user. The data in the user's accounts is not deleted.
 *
 * @throws AppError `not_found`, `last_owner` for the only owner of an account, `last_admin`
 */
export function deleteUser(db: Db, userId: number): Promise<void> {
  return inTransaction(db, async (tx) => {
    const memberships = await listMemberships(tx, userId)
    // A fixed order avoids deadlocks.
    const ids = memberships.map(({ accountId }) => accountId).sort((a, b) => a - b)
    for (const accountId of ids) await endMembership({ db: tx, accountId }, userId)
    if (!(await deleteUserRow(tx, userId))) throw new AppError('not_found')
  })
}

async function endMembership(scope: AccountScope<Tx>, userId: number, from?: Role): Promise<void> {
  await requireMember(scope, userId, from)
  await requireRemainingAdmin(unscoped(scope), {}, () => queries.deleteMember(scope, userId))
  await endConnections(scope, userId)
  await requireOwner(scope)
  const [owner] = await listMembers(scope)
  if (owner) await copyOwnerEmails(unscoped(scope), owner.id)
  await notify(unscoped(scope), [{ kind: 'account', id: scope.accountId }])
}

async function endConnections(scope: AccountScope<Tx>, userId: number): Promise<void> {
  await revokeConnectionsOf(scope, userId)
  await notify(unscoped(scope), [{ kind: 'keys' }])
}

async function requireMember(
  scope: AccountScope<Tx>,
  userId: number,
  expected?: Role,
): Promise<void> {
  await queries.lockMembers(scope)
  const role = await getRole(scope, userId)
  if (expected && role !== expected) throw new AppError('member_changed')
}

async function requireOwner(scope: AccountScope<Tx>): Promise<void> {
  if (!(await queries.hasOwner(scope))) throw new AppError('last_owner')
}
