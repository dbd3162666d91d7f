import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { insertLinks } from '../links/insert-links.queries.ts'
import { removeLinks } from '../links/remove-links.queries.ts'

/** The link that exists only for a code; it is always on the service's own host. */
export type CodeLink = { id: number; alias: string }

/** Where the link of a code leads; `forward` if what it leads to is a link that counts the visits itself. */
export type CodeTarget = { url: string; kind: 'qr' | 'forward' }

/** Makes the link of a code; undefined if the alias is taken. */
export async function insertCodeLink(
  tx: Tx,
  accountId: number,
  alias: string,
  target: CodeTarget,
): Promise<CodeLink | undefined> {
  const [created] = await insertLinks(tx, [{ account_id: accountId, alias, ...target }])
  return created && { id: created.id, alias }
}

/** Has the link of a code, which the caller has locked, lead elsewhere. */
export async function retargetCodeLink(tx: Tx, id: number, target: CodeTarget): Promise<CodeLink> {
  return tx
    .updateTable('links')
    .set(target)
    .where('id', '=', id)
    .returning(['id', 'alias'])
    .executeTakeFirstOrThrow()
}

/** Deletes a link that no code uses any longer, with everything counted of it. */
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

export type LinkAt = { id: number; accountId: number; ofCode: boolean }

/** The link at an address, whoever's it is, and whether it exists only for a code. */
export async function findLinkAt(
  db: Db,
  domainId: number | null,
  alias: string,
): Promise<LinkAt | undefined> {
  const row = await db
    .selectFrom('links')
    .select(['id', 'account_id', 'kind'])
    .where('alias', '=', alias)
    .where('domain_id', domainId === null ? 'is' : '=', domainId)
    .executeTakeFirst()
  return row && { id: row.id, accountId: row.account_id, ofCode: row.kind !== 'link' }
}

/** Of `links` and `qr_codes`: that it is the link whose short URL the code encodes. */
export const encodedLink = (): RawBuilder<boolean> => sql<boolean>`
  links.id = coalesce(qr_codes.own_link_id, qr_codes.link_id)`
