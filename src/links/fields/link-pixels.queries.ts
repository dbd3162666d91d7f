import { sql } from 'kysely'
import { own } from '../../db/account-rows.ts'
import type { Db } from '../../db/pool.ts'
import type { RecordedTx } from '../../db/recorded-tx.ts'
import type { AccountScope } from '../../scope.ts'

/**
 * Returns the pixels that belong to the account. Locks them against deletion until the transaction
 * ends.
 */
export async function lockPixels(
  scope: AccountScope,
  pixelIds: readonly number[],
): Promise<ReadonlySet<number>> {
  if (pixelIds.length === 0) return new Set()
  const rows = await own(scope)
    .selectFrom('pixels')
    .select('id')
    .where('id', '=', sql<number>`any(${[...new Set(pixelIds)]}::bigint[])`)
    .forShare()
    .execute()
  return new Set(rows.map(({ id }) => id))
}

/** Adds pixels to links. The order is preserved. */
export async function addPixels(
  tx: Db,
  links: readonly { linkId: number; pixels: readonly number[] }[],
): Promise<void> {
  const rows = links.flatMap(({ linkId, pixels }) =>
    [...new Set(pixels)].map((id, index) => ({
      link_id: linkId,
      pixel_id: id,
      position: index + 1,
    })),
  )
  if (rows.length > 0) await tx.insertInto('link_pixels').values(rows).execute()
}

/** Returns the pixels of a link, in order. */
export async function readPixels(db: Db, linkId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('link_pixels')
    .select('pixel_id')
    .where('link_id', '=', linkId)
    .orderBy('position')
    .execute()
  return rows.map(({ pixel_id }) => pixel_id)
}

/** Removes all pixels from a link. */
export async function removePixels(tx: RecordedTx, linkId: number): Promise<void> {
  await tx.deleteFrom('link_pixels').where('link_id', '=', linkId).execute()
}
