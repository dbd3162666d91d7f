import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import type { LinkStatus } from './link.ts'
import type { RecordedTx } from './versions/recorded-tx.ts'

/**
 * Returns the link at an address, in any account, and locks it until the end of the transaction.
 */
export async function lockAnyLink(tx: Tx, domainId: number | null, alias: string) {
  return tx
    .selectFrom('links')
    .innerJoin('accounts', 'accounts.id', 'links.account_id')
    .select(['links.id', 'links.url', 'links.status', 'accounts.email'])
    .where('links.alias', '=', alias)
    .where('links.kind', '<>', 'deleted')
    .where('links.domain_id', domainId === null ? 'is' : '=', domainId)
    .forUpdate('links')
    .executeTakeFirst()
}

/** Returns an admin's view of the link at an address, in any account. */
export async function findAnyLinkDetails(db: Db, domainId: number | null, alias: string) {
  return db
    .selectFrom('links')
    .innerJoin('accounts', 'accounts.id', 'links.account_id')
    .leftJoin('splash_pages', (join) =>
      join.onRef('splash_pages.id', '=', 'links.splash_id').on('links.redirect', '=', 'splash'),
    )
    .leftJoin('overlays', (join) =>
      join.onRef('overlays.id', '=', 'links.overlay_id').on('links.redirect', '=', 'overlay'),
    )
    .select([
      'links.rules',
      'links.split',
      'links.expired_url',
      'splash_pages.link as splash_link',
      'overlays.link as overlay_link',
      'links.id',
      'links.url',
      'links.status',
      'links.kind',
      'links.blocked_at',
      'links.block_reason',
      'links.expires_at',
      'links.created_at',
      'links.starts_at',
      'links.used_up_at',
      'accounts.id as account_id',
      'accounts.username',
      'accounts.suspended_at',
      sql<boolean>`links.password_hash is not null`.as('has_password'),
    ])
    .where('links.alias', '=', alias)
    .where('links.kind', '<>', 'deleted')
    .where('links.domain_id', domainId === null ? 'is' : '=', domainId)
    .executeTakeFirst()
}

/** Sets a link's status as an admin. The owner cannot enable a link that an admin disabled. */
export async function setLinkStatus(
  tx: RecordedTx,
  id: number,
  status: LinkStatus,
  reason: string | null,
): Promise<void> {
  const block =
    status === 'disabled'
      ? { blocked_at: sql<Date>`now()`, block_reason: reason }
      : { blocked_at: null, block_reason: null }
  await tx
    .updateTable('links')
    .set({ status, ...block })
    .where('id', '=', id)
    .execute()
}
