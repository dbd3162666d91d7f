import type { Tx } from '../db/transaction.ts'
import { collectClicks, findClickAccounts } from './outbox.queries.ts'

/**
 * Collects clicks for subscribed endpoints in the transaction that imports the clicks. If there are
 * no subscriptions, this only queries one small table.
 */
export async function recordClickEvents(
  tx: Tx,
  totals: { link: Float64Array; clicks: Float64Array },
  accountsByLink: ReadonlyMap<number, number>,
): Promise<void> {
  const accounts = await findClickAccounts(tx)
  if (accounts.size === 0) return
  const collected = Array.from(totals.link).flatMap((linkId, index) => {
    const accountId = accountsByLink.get(linkId) ?? 0
    const clicks = totals.clicks[index] ?? 0
    return clicks > 0 && accounts.has(accountId) ? { accountId, linkId, clicks } : []
  })
  if (collected.length > 0) await collectClicks(tx, collected)
}
