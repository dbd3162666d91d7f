import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'
import { deleteUserSessions } from '../session.queries.ts'
import * as queries from './second-factor.queries.ts'
import type { SecondFactor } from './second-factor.ts'

/** Returns the second factor of a user. */
export function getSecondFactor(db: Db, userId: number): Promise<SecondFactor> {
  return queries.findSecondFactor(db, userId)
}

/**
 * Removes the second factor of a user who can no longer use it, and ends all of their sessions.
 * Returns whether they had one.
 */
export async function clearSecondFactor(tx: Tx, userId: number): Promise<boolean> {
  const hadFactor = await queries.lockUser(tx, userId)
  if (!hadFactor) return false
  await queries.deleteSecondFactor(tx, userId)
  await queries.updateHasSecondFactor(tx, userId)
  await deleteUserSessions(tx, userId)
  return true
}
