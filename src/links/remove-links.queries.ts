import { sql } from 'kysely'
import { removeClicks } from '../clicks/import.ts'
import { idArray } from '../db/id-array.ts'
import { notify } from '../db/notify.ts'
import type { Tx } from '../db/transaction.ts'
import { holdLinks } from '../holds/reserve.queries.ts'

/**
 * Deletes links, their clicks and their QR codes. This is the only way to delete a link. Links
 * disabled by an admin or waiting for review stay recorded, and their aliases reserved.
 */
export async function removeLinks(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  const these = sql<number>`any(${idArray(ids)}::bigint[])`
  await holdLinks(tx, ids)
  const codes = await tx
    .deleteFrom('qr_codes')
    .where('link_id', '=', these)
    .returning('own_link_id')
    .execute()
  await removeForwards(
    tx,
    codes.flatMap(({ own_link_id }) => own_link_id ?? []),
  )
  await tx.deleteFrom('links').where('id', '=', these).execute()
  await removeClicks(tx, ids)
}

/** Deletes the internal links of QR codes that pointed to deleted links. */
async function removeForwards(tx: Tx, ids: readonly number[]): Promise<void> {
  const own = sql<number>`any(${[...ids]}::bigint[])`
  const links = await tx.selectFrom('links').select('alias').where('id', '=', own).execute()
  await removeLinks(tx, ids)
  await notify(
    tx,
    links.map(({ alias }) => ({ kind: 'link', domainId: null, alias })),
  )
}
