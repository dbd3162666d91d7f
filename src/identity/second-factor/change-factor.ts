import type { Db } from '../../db/pool.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { AppError } from '../../errors.ts'
import type { Session } from '../session.ts'
import { endSessions } from '../user.service.ts'
import { hasRecoveryCodes, replaceRecoveryCodes } from './one-time-codes.queries.ts'
import { generateRecoveryCodes, hashRecoveryCode } from './recovery-code.ts'
import { lockUser, updateHasSecondFactor } from './second-factor.service.ts'

type ChangingSession = Pick<Session, 'id' | 'user'>

/**
 * Runs `work`, which adds one-time codes or a passkey. If this is the user's first factor, all
 * other sessions end, because they started without it. Returns new recovery codes if the user has
 * none.
 *
 * @throws AppError `not_found`, and any error of `work`
 */
export function addFactor(
  db: Db,
  { id, user }: ChangingSession,
  work: (tx: Tx) => Promise<void>,
): Promise<string[]> {
  return inTransaction(db, async (tx) => {
    const hadFactor = await lockUser(tx, user.id)
    if (hadFactor === undefined) throw new AppError('not_found')
    await work(tx)
    await updateHasSecondFactor(tx, user.id)
    if (!hadFactor) await endSessions(tx, user.id, id)
    return (await hasRecoveryCodes(tx, user.id)) ? [] : issueRecoveryCodes(tx, user.id)
  })
}

/**
 * Runs `work`, which removes one-time codes or a passkey. All other sessions and unfinished
 * sign-ins end, because they may have used the factor. If this was the last factor, the recovery
 * codes are deleted.
 *
 * @throws AppError `not_found`, and any error of `work`
 */
export function removeFactor(
  db: Db,
  { id, user }: ChangingSession,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  return inTransaction(db, async (tx) => {
    await lockUser(tx, user.id)
    await work(tx)
    const hasFactor = await updateHasSecondFactor(tx, user.id)
    if (!hasFactor) await replaceRecoveryCodes(tx, user.id, [])
    await endSessions(tx, user.id, id)
  })
}

/**
 * Replaces the recovery codes of a user. Returns the new ones, which are stored only as hashes.
 *
 * @throws AppError `not_found` for a user without a second factor
 */
export function renewRecoveryCodes(db: Db, userId: number): Promise<string[]> {
  return inTransaction(db, async (tx) => {
    if (!(await lockUser(tx, userId))) throw new AppError('not_found')
    return issueRecoveryCodes(tx, userId)
  })
}

async function issueRecoveryCodes(tx: Tx, userId: number): Promise<string[]> {
  const codes = generateRecoveryCodes()
  const hashes = codes.flatMap((code) => hashRecoveryCode(code) ?? [])
  await replaceRecoveryCodes(tx, userId, hashes)
  return codes
}
