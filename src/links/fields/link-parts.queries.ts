import { sql } from 'kysely'
import { own, unscoped } from '../../db/account-rows.ts'
import type { Db } from '../../db/pool.ts'
import type { RecordedTx } from '../../db/recorded-tx.ts'
import type { AccountScope } from '../../scope.ts'
import type { LinkParts } from '../link.ts'

/**
 * Returns the parts of an account's link that are stored in other tables, or undefined if there is
 * no such link.
 */
export async function findLinkParts(
  scope: AccountScope,
  id: number,
): Promise<LinkParts | undefined> {
  const rows = await own(scope)
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .leftJoin('link_pixels', 'link_pixels.link_id', 'links.id')
    .select(['domains.host', 'link_pixels.pixel_id'])
    .where('links.id', '=', id)
    .where('links.kind', '=', 'link')
    .orderBy('link_pixels.position')
    .execute()
  const [row] = rows
  return row && { domain: row.host, pixels: rows.flatMap(({ pixel_id }) => pixel_id ?? []) }
}

/**
 * Returns the account and id of the link at an address, if any. Ignores the trash of the account
 * itself.
 */
export function findAliasHolder(
  scope: AccountScope,
  domainId: number | null,
  alias: string,
): Promise<{ id: number; account_id: number } | undefined> {
  return unscoped(scope)
    .selectFrom('links')
    .select(['id', 'account_id'])
    .where('alias', '=', alias)
    .where('domain_id', domainId === null ? 'is' : '=', domainId)
    .where(({ eb, or }) =>
      or([eb('kind', '<>', 'deleted'), eb('account_id', '<>', scope.accountId)]),
    )
    .executeTakeFirst()
}

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
