import { type RawBuilder, sql } from 'kysely'
import { unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { insertLinks } from '../links/insert-links.queries.ts'
import { removeLinks } from '../links/remove-links.queries.ts'
import type { AccountScope } from '../scope.ts'

/** The internal link of a code. It is always on the service's own host. */
export type CodeLink = { id: number; alias: string }

/**
 * The destination of a code's link. Its kind is `forward` if the destination is another link, which
 * counts the visits itself.
 */
export type CodeDestination = { url: string; kind: 'qr' | 'forward' }

/** Creates the link of a code. Returns undefined if the alias is taken. */
export async function insertCodeLink(
  scope: AccountScope<Tx>,
  alias: string,
  destination: CodeDestination,
): Promise<CodeLink | undefined> {
  const [created] = await insertLinks(unscoped(scope), [
    { account_id: scope.accountId, alias, ...destination },
  ])
  return created && { id: created.id, alias }
}

/** Changes the destination of a code's link. The caller must have locked the link. */
export async function changeCodeDestination(
  tx: Tx,
  id: number,
  destination: CodeDestination,
): Promise<CodeLink> {
  return tx
    .updateTable('links')
    .set(destination)
    .where('id', '=', id)
    .returning(['id', 'alias'])
    .executeTakeFirstOrThrow()
}

/** Deletes an unused internal link and its clicks. Returns the deleted link. */
export async function deleteCodeLink(tx: Tx, id: number): Promise<CodeLink> {
  const link = await tx
    .selectFrom('links')
    .select(['id', 'alias'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()
  await removeLinks(tx, [id])
  return link
}

export type AddressedLink = { id: number; accountId: number; isOfCode: boolean }

/**
 * Returns the link at an address, in any account, and whether it is an internal link. Returns
 * undefined if there is none.
 */
export async function findLinkAt(
  db: Db,
  domainId: number | null,
  alias: string,
): Promise<AddressedLink | undefined> {
  const row = await db
    .selectFrom('links')
    .select(['id', 'account_id', 'kind'])
    .where('alias', '=', alias)
    .where('kind', '<>', 'deleted')
    .where('domain_id', domainId === null ? 'is' : '=', domainId)
    .executeTakeFirst()
  return row && { id: row.id, accountId: row.account_id, isOfCode: row.kind !== 'link' }
}

/** SQL condition on `links` and `qr_codes`: the code encodes the link's short URL. */
export const isEncodedLink = (): RawBuilder<boolean> => sql<boolean>`
  links.id = coalesce(qr_codes.own_link_id, qr_codes.link_id)`
