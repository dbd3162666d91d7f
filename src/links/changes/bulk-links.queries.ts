import { sql } from 'kysely'
import { own } from '../../db/account-rows.ts'
import type { RecordedTx } from '../../db/recorded-tx.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Scope } from '../../scope.ts'
import type { LinkAddress, LinkStatus } from '../link.ts'

export type LockedLink = LinkAddress & { id: number; isBlocked: boolean }

/** Locks the links and returns those that the caller may change, ordered by id. */
export async function lockLinks(
  scope: Scope<unknown, Tx>,
  ids: readonly number[],
): Promise<LockedLink[]> {
  const rows = await own(scope)
    .selectFrom('links')
    .select(['id', 'alias', 'domain_id', 'blocked_at'])
    .where('kind', '=', 'link')
    .where('id', '=', anyOf(ids))
    .orderBy('id')
    .forUpdate()
    .execute()
  return rows.map(({ id, alias, domain_id: domainId, blocked_at: blockedAt }) => ({
    id,
    alias,
    domainId,
    isBlocked: blockedAt !== null,
  }))
}

/** Sets the status of locked links and returns the ids of the changed ones. */
export async function setStatuses(
  tx: RecordedTx,
  ids: readonly number[],
  status: LinkStatus,
): Promise<number[]> {
  const rows = await tx
    .updateTable('links')
    .set({ status })
    .where('id', '=', anyOf(ids))
    .where('status', '<>', status)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id).toSorted((a, b) => a - b)
}

/** Archives or unarchives locked links and returns the ids of the changed ones. */
export async function setArchivedAt(
  tx: RecordedTx,
  ids: readonly number[],
  at: Date | null,
): Promise<number[]> {
  const rows = await tx
    .updateTable('links')
    .set({ archived_at: at })
    .where('id', '=', anyOf(ids))
    .where('archived_at', at === null ? 'is not' : 'is', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id).toSorted((a, b) => a - b)
}

/** Sets the expiration of locked links and returns the ids of the changed ones. */
export async function setExpiresAt(
  tx: RecordedTx,
  ids: readonly number[],
  at: Date | null,
): Promise<number[]> {
  const rows = await tx
    .updateTable('links')
    .set({ expires_at: at })
    .where('id', '=', anyOf(ids))
    .where('expires_at', 'is distinct from', at)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id).toSorted((a, b) => a - b)
}

function anyOf(ids: readonly number[]) {
  return sql<number>`any(${[...ids]}::bigint[])`
}
