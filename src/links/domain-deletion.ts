import type { Context } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import { deleteUnusedDomain, getDomain } from '../domains/domain.service.ts'
import { AppError } from '../errors.ts'
import type { Scope } from '../scope.ts'
import { emptyTrash } from './trash.service.ts'

/**
 * Permanently deletes a domain that has no links, and any links on it that are in the trash.
 *
 * @throws AppError `not_found`, `domain_in_use`
 */
export async function deleteDomain(scope: Scope<Context>, id: number): Promise<void> {
  await getDomain(scope, id)
  if (await hasLinksOn(unscoped(scope), id)) throw new AppError('domain_in_use')
  await emptyTrash(unscoped(scope), { domainId: id })
  await deleteUnusedDomain(scope, id)
}

/** Returns whether a domain has links, not counting the trash. */
async function hasLinksOn(db: Db, domainId: number): Promise<boolean> {
  const row = await db
    .selectFrom('links')
    .select('id')
    .where('domain_id', '=', domainId)
    .where('kind', '<>', 'deleted')
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
