import { createUserPasswordReset } from '../../src/accounts/password-reset.service.ts'
import type { Context } from '../../src/context.ts'
import type { Db } from '../../src/db/pool.ts'
import { getOwner } from '../../src/people/user.service.ts'

/** Creates a reset link for an account's owner. */
export async function createPasswordReset(
  ctx: Context,
  db: Db,
  accountId: number,
): Promise<{ url: string; expiresAt: Date }> {
  const { id } = await getOwner(db, accountId)
  return createUserPasswordReset(ctx, db, id)
}
