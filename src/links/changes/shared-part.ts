import type { Context } from '../../context.ts'
import { notify, type SharedResource } from '../../db/notify.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'

/**
 * Changes a pixel, splash page or overlay in a transaction, then invalidates the cached links that
 * use it in every process.
 */
export async function changeSharedPart(
  { visitLinks }: Pick<Context, 'visitLinks'>,
  db: Db,
  part: SharedResource,
  work: (tx: Tx) => Promise<void>,
): Promise<void> {
  await inTransaction(db, async (tx) => {
    await work(tx)
    await notify(tx, [part])
  })
  visitLinks.invalidatePart(part)
}
