import { sql } from 'kysely'
import { removeClicks } from '../clicks/import.ts'
import { idArray } from '../db/id-array.ts'
import { notify } from '../db/notify.ts'
import type { Tx } from '../db/transaction.ts'
import { holdLinks } from '../holds/reserve.queries.ts'
import { transferShareImages } from './share-images/share-image.queries.ts'

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
