import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import { insertLink } from '../links/insert-links.queries.ts'
import { removeLinks } from '../links/remove-links.queries.ts'

/** The link behind a dynamic code; it is always on the service's own host. */
export type CodeLink = { id: number; alias: string }

/** Makes the link of a code; undefined if the alias is taken. */
export async function insertCodeLink(
  tx: Tx,
  accountId: number,
  alias: string,
  url: string,
): Promise<CodeLink | undefined> {
  const values = { account_id: accountId, kind: 'qr' as const, domain_id: null, alias, url }
  const created = await insertLink(tx, values)
  return created && { id: created.id, alias }
}

/** Has the link of a code, which the caller has locked, lead elsewhere. */
export async function retargetCodeLink(tx: Tx, id: number, url: string): Promise<CodeLink> {
  return tx
    .updateTable('links')
    .set({ url })
    .where('id', '=', id)
    .returning(['id', 'alias'])
    .executeTakeFirstOrThrow()
}

/** Deletes a link that no code uses any more, with everything counted of it. */
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

/** Whether the link at this alias of the service's own host belongs to a code. */
export async function isCodeLink(db: Db, alias: string): Promise<boolean> {
  const row = await db
    .selectFrom('links')
    .select('id')
    .where('alias', '=', alias)
    .where('domain_id', 'is', null)
    .where('kind', '=', 'qr')
    .executeTakeFirst()
  return row !== undefined
}
