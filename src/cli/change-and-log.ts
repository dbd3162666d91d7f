import { getAccountByEmailOrUsername } from '../accounts/account.service.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Action } from '../operator/action.ts'
import { COMMAND_LINE, logAction } from '../operator/operator-log.service.ts'
import type { ServiceContext } from './command.ts'

type Change<Result> = {
  /** The account's username, or the email address of its owner. */
  account: string
  action: Action
  work: (tx: Tx, accountId: number) => Promise<Result>
  /** Returns the details for the log. */
  detail: (result: Result) => string
}

/**
 * Changes a resource of an account and logs the change, in one transaction.
 *
 * @throws AppError `not_found` if there is no such account, and any error of `work`
 */
export function changeAndLog<Result>(
  ctx: ServiceContext,
  { account, action, work, detail }: Change<Result>,
): Promise<Result> {
  return inTransaction(ctx.db, async (tx) => {
    const { id, username } = await getAccountByEmailOrUsername(tx, account)
    const result = await work(tx, id)
    const line = { actor: COMMAND_LINE, action, subject: username, detail: detail(result) }
    await logAction(ctx, tx, line)
    return result
  })
}
