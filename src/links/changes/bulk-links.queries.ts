import { type RawBuilder, sql } from 'kysely'
import { own } from '../../db/account-rows.ts'
import type { RecordedTx } from '../../db/recorded-tx.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Scope } from '../../scope.ts'
import type { LinkColumns } from '../insert-links.queries.ts'
import type { LinkAddress } from '../link.ts'

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

/** Updates those of the locked links whose values differ, and returns their ids. */
export async function updateEach(
  tx: RecordedTx,
  ids: readonly number[],
  values: Partial<Pick<LinkColumns, 'status' | 'archived_at' | 'expires_at'>>,
  differs: RawBuilder<boolean>,
): Promise<number[]> {
  const rows = await tx
    .updateTable('links')
    .set(values)
    .where('id', '=', anyOf(ids))
    .where(differs)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id).toSorted((a, b) => a - b)
}

/** Returns the ids of links. */
export function listIds(links: readonly { id: number }[]): number[] {
  return links.map(({ id }) => id)
}

function anyOf(ids: readonly number[]) {
  return sql<number>`any(${[...ids]}::bigint[])`
}
