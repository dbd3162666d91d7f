import { sql } from 'kysely'
import { removeClicks } from '../clicks/import.ts'
import { unscoped } from '../db/account-rows.ts'
import { idArray, textArray } from '../db/arrays.ts'
import { notify } from '../db/notify.ts'
import type { Tx } from '../db/transaction.ts'
import { holdLinks } from '../holds/reserve.queries.ts'
import type { AccountScope } from '../scope.ts'
import type { LinkAddress } from './link.ts'
import { transferShareImages } from './share-images/share-images.ts'

/**
 * Permanently deletes links, including links in the trash, with their clicks and QR codes. Links
 * that an admin disabled, or that are waiting for review, stay on record and their aliases stay
 * reserved.
 */
export async function removeLinks(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const anyLink = sql<number>`any(${idArray(ids)}::bigint[])`
  await holdLinks(tx, ids)
  await transferShareImages(tx, ids)
  const codes = await tx
    .deleteFrom('qr_codes')
    .where('link_id', '=', anyLink)
    .returning('own_link_id')
    .execute()
  const { rows: trashed } = await sql<{ id: number }>`
    select (code ->> 'own_link_id')::bigint as id
    from deleted_links, jsonb_array_elements(parts -> 'codes') code
    where link_id = ${anyLink} and code ->> 'own_link_id' is not null`.execute(tx)
  await removeForwards(tx, [
    ...codes.flatMap(({ own_link_id }) => own_link_id ?? []),
    ...trashed.map(({ id }) => id),
  ])
  await tx.deleteFrom('links').where('id', '=', anyLink).execute()
  await removeClicks(tx, ids)
}

/** Deletes the internal links of QR codes that pointed to deleted links. */
async function removeForwards(tx: Tx, ids: readonly number[]): Promise<void> {
  const anyLink = sql<number>`any(${[...ids]}::bigint[])`
  const links = await tx.selectFrom('links').select('alias').where('id', '=', anyLink).execute()
  await removeLinks(tx, ids)
  await notify(
    tx,
    links.map(({ alias }) => ({ kind: 'link', domainId: null, alias })),
  )
}

/**
 * Replaces the aliases of links in an account's trash, so that another link of the account can use
 * these aliases. Returns whether any were replaced.
 */
export async function releaseAliases(
  scope: AccountScope,
  addresses: readonly LinkAddress[],
): Promise<boolean> {
  if (addresses.length === 0) return false
  const { numAffectedRows = 0n } = await sql`
    update links set alias = left(replace(gen_random_uuid()::text, '-', ''), 12)
    from unnest(
      ${textArray(addresses.map(({ alias }) => alias))}::text[],
      ${textArray(addresses.map(({ domainId }) => domainId))}::bigint[]) requested (alias, domain_id)
    where links.alias = requested.alias and links.domain_id is not distinct from requested.domain_id
      and kind = 'deleted' and account_id = ${scope.accountId}`.execute(unscoped(scope))
  return numAffectedRows > 0n
}
