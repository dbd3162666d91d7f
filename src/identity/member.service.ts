import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { requireRemainingAdmin } from './admin.service.ts'
import * as queries from './member.queries.ts'
import { copyOwnerEmails, deleteUserRow } from './user.queries.ts'
import type { Member, Role } from './user.ts'

export type { Membership } from './member.queries.ts'

/** Lists the members of an account, oldest first. */
export function listMembers(db: Db, accountId: number): Promise<Member[]> {
  return queries.findMembers(db, accountId)
}

/** Lists the accounts of a user. Accounts that the user owns come first. */
export function listMemberships(db: Db, userId: number): Promise<queries.Membership[]> {
  return queries.findMemberships(db, userId)
}

/** Returns a user's role in an account. @throws AppError `not_found` */
export async function getRole(db: Db, accountId: number, userId: number): Promise<Role> {
  const role = await queries.findRole(db, accountId, userId)
  if (!role) throw new AppError('not_found')
  return role
}

/**
 * Changes a member's role. With `from`, only changes it if the member still has that role.
 *
 * @throws AppError `not_found`, `last_owner`, `member_changed`
 */
export function changeRole(
  db: Db,
  accountId: number,
  userId: number,
  role: Role,
  from?: Role,
): Promise<void> {
  return inTransaction(db, async (tx) => {
    await requireMember(tx, accountId, userId, from)
    await queries.updateRole(tx, accountId, userId, role)
    await requireOwner(tx, accountId)
    await copyOwnerEmails(tx, userId)
  })
}

/**
 * Removes a member and ends the member's sessions in the account. Links and keys are not deleted.
 * With `from`, only removes the member if they still have that role.
 *
 * @throws AppError `not_found`, `last_owner`, `last_admin`, `member_changed`
 */
export function removeMember(
  db: Db,
  accountId: number,
  userId: number,
  from?: Role,
): Promise<void> {
  return inTransaction(db, (tx) => endMembership(tx, accountId, userId, from))
}

/**
 * Deletes a user. The data in the user's accounts is not deleted.
 *
 * @throws AppError `not_found`, `last_owner` for the only owner of an account, `last_admin`
 */
export function deleteUser(db: Db, userId: number): Promise<void> {
  return inTransaction(db, async (tx) => {
    const memberships = await queries.findMemberships(tx, userId)
    // A fixed order avoids deadlocks.
    const ids = memberships.map(({ accountId }) => accountId).sort((a, b) => a - b)
    for (const accountId of ids) await endMembership(tx, accountId, userId)
    if (!(await deleteUserRow(tx, userId))) throw new AppError('not_found')
  })
}

async function endMembership(
  tx: Tx,
  accountId: number,
  userId: number,
  from?: Role,
): Promise<void> {
  await requireMember(tx, accountId, userId, from)
  await requireRemainingAdmin(tx, {}, () => queries.deleteMember(tx, accountId, userId))
  await requireOwner(tx, accountId)
  const [owner] = await queries.findMembers(tx, accountId)
  if (owner) await copyOwnerEmails(tx, owner.id)
  await notify(tx, [{ kind: 'account', id: accountId }])
}

async function requireMember(
  tx: Tx,
  accountId: number,
  userId: number,
  expected?: Role,
): Promise<void> {
  await queries.lockMembers(tx, accountId)
  const role = await getRole(tx, accountId, userId)
  if (expected && role !== expected) throw new AppError('member_changed')
}

async function requireOwner(tx: Tx, accountId: number): Promise<void> {
  if (!(await queries.hasOwner(tx, accountId))) throw new AppError('last_owner')
}
