import type { Context } from '../../context.ts'
import { unscoped } from '../../db/account-rows.ts'
import { notify } from '../../db/notify.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import type { Scope } from '../../scope.ts'
import type { LinkAddress } from '../link.ts'

/**
 * Runs `work` in a transaction, and notifies all processes that the links at the returned addresses
 * have changed.
 */
export async function changeAndNotify<Result>(
  scope: Scope<Context>,
  work: (tx: Tx) => Promise<{ addresses: readonly LinkAddress[]; result: Result }>,
): Promise<Result> {
  const { addresses, result } = await inTransaction(unscoped(scope), async (tx) => {
    const done = await work(tx)
    await notify(
      tx,
      done.addresses.map(({ domainId, alias }) => ({ kind: 'link', domainId, alias })),
    )
    return done
  })
  for (const { domainId, alias } of addresses) scope.visitLinks.invalidate(domainId, alias)
  return result
}
