import type { Tx } from '../db/transaction.ts'
import { collectClicks, findClickAccounts } from './outbox.queries.ts'

/**
 * Writes down clicks that endpoints want to be told of, in the transaction that counts them. Where
 * nobody wants that it costs one look at a small table.
 */
export async function noteClicks(
  tx: Tx,
  totals: { link: Float64Array; clicks: Float64Array },
  accountOf: ReadonlyMap<number, number>,
): Promise<void> {
  const accounts = await findClickAccounts(tx)
  if (accounts.size === 0) return
  const noted = Array.from(totals.link).flatMap((linkId, index) => {
    const [accountId = 0, clicks = 0] = [accountOf.get(linkId), totals.clicks[index]]
    return clicks > 0 && accounts.has(accountId) ? { accountId, linkId, clicks } : []
  })
  if (noted.length > 0) await collectClicks(tx, noted)
}
