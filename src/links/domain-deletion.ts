import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { deleteUnusedDomain, getDomain } from '../domains/domain.service.ts'
import { AppError } from '../errors.ts'
import { hasLinksOn } from './domain-links.queries.ts'
import { emptyTrash } from './trash.service.ts'

/**
 * Permanently deletes a domain that has no links, and any links on it that are in the trash.
 *
 * @throws AppError `not_found`, `domain_in_use`
 */
export async function deleteDomain(
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
): Promise<void> {
  await getDomain(db, accountId, id)
  if (await hasLinksOn(db, id)) throw new AppError('domain_in_use')
  await emptyTrash(db, { domainId: id })
  await deleteUnusedDomain(ctx, db, accountId, id)
}
