import type { Context } from '../context.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { scopeOf } from '../scope.ts'
import { publishLinks } from './link-events.ts'
import * as queries from './link-uses.queries.ts'

/**
 * Uses one of a link's limited clicks before the visitor is redirected. Returns false if no clicks
 * are left or the link no longer exists. If the process ends before the redirect, the click is
 * lost; the limit is never exceeded.
 *
 * @throws AppError `database_unavailable`
 */
export async function consumeClick(ctx: Context, db: Db, linkId: number): Promise<boolean> {
  const use = await queries.consumeClick(db, linkId)
  if (!use) return false
  const { clicks, max_clicks: max } = use
  const isLast = clicks === null || clicks === max
  // If this fails, the next visit tries again.
  if (isLast && !use.is_marked) await expireUsedUp(ctx, db, linkId).catch(() => {})
  return clicks !== null
}

/** Marks a link without clicks left as expired, so that processes stop querying its clicks. */
async function expireUsedUp(ctx: Context, db: Db, linkId: number): Promise<void> {
  const link = await inTransaction(db, async (tx) => {
    const usedUpLink = await queries.markUsedUp(tx, linkId, ctx.clock())
    if (!usedUpLink) return undefined
    const { accountId, domainId, alias } = usedUpLink
    await publishLinks(scopeOf({ ...ctx, db: tx }, accountId), 'link.ended', [linkId])
    await notify(tx, [{ kind: 'link', domainId, alias }])
    return usedUpLink
  })
  if (link) ctx.visitLinks.invalidate(link.domainId, link.alias)
}
