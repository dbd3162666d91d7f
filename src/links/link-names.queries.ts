import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { shortUrlOf } from './short-url.ts'

export type LinkName = { alias: string; shortUrl: string }

/** Returns aliases and short URLs by link id. Omits links of QR codes and links in the trash. */
export async function readLinkNames(
  db: Db,
  baseUrl: string,
  accountId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, LinkName>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select(['links.id', 'links.alias', 'domains.origin'])
    .where('links.account_id', '=', accountId)
    .where('links.kind', '=', 'link')
    .where('links.id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .execute()
  return new Map(
    rows.map(({ id, alias, origin }) => [
      id,
      { alias, shortUrl: shortUrlOf(origin ?? baseUrl, alias) },
    ]),
  )
}
