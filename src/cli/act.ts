import { getAccountByEmail } from '../accounts/account.service.ts'
import type { Tx } from '../db/transaction.ts'
import type { Action } from '../operator/action.ts'
import { COMMAND_LINE, logAction } from '../operator/operator-log.service.ts'
import type { OperatorServices } from '../wiring/operator.ts'

type Bound = Parameters<Parameters<OperatorServices['atomically']>[0]>[0]

type Act<Result> = {
  /** The email address of the account that is changed. */
  account: string
  action: Action
  work: (tx: Tx, accountId: number, features: Bound) => Promise<Result>
  /** What the log says beside the account's name. */
  detail: (result: Result) => string
}

/**
 * Changes what an account owns, with a line in the operator log, in one transaction.
 *
 * @throws AppError `not_found` if there is no such account, or what `work` throws
 */
export function act<Result>(
  ctx: OperatorServices,
  { account, action, work, detail }: Act<Result>,
): Promise<Result> {
  return ctx.atomically(async (features, tx) => {
    const { id, username } = await getAccountByEmail(tx, account)
    const result = await work(tx, id, features)
    const line = { actor: COMMAND_LINE, action, subject: username, detail: detail(result) }
    await logAction(ctx, tx, line)
    return result
  })
}
