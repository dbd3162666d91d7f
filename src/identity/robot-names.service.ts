import { own, unscoped } from '../db/account-rows.ts'
import { notify } from '../db/notify.ts'
import { transact } from '../db/transaction.ts'
import { invalid } from '../errors.ts'
import type { AccountScope, Scope } from '../scope.ts'
import { findNameProblem } from '../visitors/bots-file.ts'

/** The maximum number of names per account. */
export const MAX_ROBOT_NAMES = 50

const PROBLEMS = {
  characters: 'robot_characters',
  length: 'robot_length',
  browser: 'robot_browser',
} as const

/** Returns the account's own names of robots, whose visits do not count. */
export async function getRobotNames(scope: AccountScope): Promise<string[]> {
  const { robots } = await own(scope)
    .selectFrom('accounts')
    .select('robots')
    .executeTakeFirstOrThrow()
  return robots
}

/**
 * Replaces the account's own names of robots. Each is like a name in `BOTS_FILE`.
 *
 * @throws AppError `invalid_input` naming `names`
 */
export async function setRobotNames(scope: Scope, names: readonly string[]): Promise<void> {
  const robots = [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))]
  if (robots.length > MAX_ROBOT_NAMES) {
    throw invalid('names', 'at_most_entries', { max: MAX_ROBOT_NAMES })
  }
  for (const name of robots) {
    const problem = findNameProblem(name)
    if (problem) throw invalid('names', PROBLEMS[problem], { name: name.slice(0, 120) })
  }
  await transact(scope, async (inner) => {
    await own(inner).updateTable('accounts').set({ robots }).execute()
    await notify(unscoped(inner), [{ kind: 'account', id: inner.accountId }])
  })
}
