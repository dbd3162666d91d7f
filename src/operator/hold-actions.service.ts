import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { settleHold } from '../holds/hold.service.ts'
import type { HeldLink, HoldDecision } from '../holds/hold.ts'
import { logAction } from './operator-log.service.ts'

/**
 * Confirms or releases the reservations of a deleted link.
 *
 * @throws AppError `not_found` if another admin has already decided
 */
export function decideHold(
  ctx: Context,
  db: Db,
  actor: string,
  id: number,
  decision: HoldDecision,
): Promise<HeldLink> {
  return inTransaction(db, async (tx) => {
    const heldLink = await settleHold(ctx, tx, id, decision, actor)
    const detail = `Deleted by ${heldLink.account.username}`
    const action = `hold.${decision}` as const
    await logAction(ctx, tx, { actor, action, subject: heldLink.shortUrl, detail })
    return heldLink
  })
}
