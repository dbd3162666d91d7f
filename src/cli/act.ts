import type { Action } from '../operator/action.ts'
import { COMMAND_LINE } from '../operator/operator-log.ts'
import type { OperatorServices } from '../wiring/operator.ts'

type Bound = Parameters<Parameters<OperatorServices['atomically']>[0]>[0]

type Act<Result> = {
  /** The e-mail address of the account that it is done to. */
  account: string
  action: Action
  work: (features: Bound, accountId: number) => Promise<Result>
  /** What the log says of it beside the account's name. */
  detail: (result: Result) => string
}

/**
 * Does something to what an account owns, with its line in the operator log or not at all.
 *
 * @throws AppError `not_found` if there is no such account, or what `work` throws
 */
export function act<Result>(
  { atomically }: OperatorServices,
  { account, action, work, detail }: Act<Result>,
): Promise<Result> {
  return atomically(async (features) => {
    const { id, username } = await features.accounts.byEmail(account)
    const result = await work(features, id)
    const line = { actor: COMMAND_LINE, action, subject: username, detail: detail(result) }
    await features.operatorLog.record(line)
    return result
  })
}
