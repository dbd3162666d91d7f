import * as accounts from '../../src/accounts/account.service.ts'
import type { Connected, Context } from '../../src/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'

/** Suspends or resumes an account without an admin's line in the log. */
export function setSuspended(ctx: Connected<Context>, id: number, suspended: boolean) {
  return inTransaction(ctx.db, (tx) => accounts.setSuspended(ctx, tx, id, suspended))
}

/** Makes an account an admin, or not, without an admin's line in the log. */
export function setAdmin(ctx: Connected<Context>, id: number, admin: boolean) {
  return inTransaction(ctx.db, (tx) => accounts.setAdmin(tx, id, admin))
}
