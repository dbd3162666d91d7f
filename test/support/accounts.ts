import type { Connected, Context } from '../../src/context.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import * as accounts from '../../src/identity/account.service.ts'
import { setAdmin } from '../../src/identity/admin.service.ts'
import { getOwner } from '../../src/identity/user.service.ts'
import { getOperatorUser } from '../../src/operator/operator-users.service.ts'

/** Suspends or unsuspends an account without recording it in the action log. */
export function setSuspended(ctx: Connected<Context>, id: number, suspended: boolean) {
  return inTransaction(ctx.db, (tx) => accounts.setSuspended(ctx, tx, id, suspended))
}

/** Grants or revokes the admin role of an account's owner without recording it in the action log. */
export async function setOwnerAdmin(ctx: Connected<Context>, accountId: number, admin: boolean) {
  const { id } = await getOwner({ db: ctx.db, accountId })
  await inTransaction(ctx.db, (tx) => setAdmin(tx, id, admin))
}

/** Returns whether the owner of an account is an admin. */
export async function isOwnerAdmin({ db }: Connected<Context>, accountId: number) {
  const { id } = await getOwner({ db, accountId })
  return (await getOperatorUser(db, id)).admin
}
