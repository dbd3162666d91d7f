import { createHash } from 'node:crypto'
import { own, unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import type { AccountScope } from '../scope.ts'
import type { SourceKey } from './import.queries.ts'

/** A link that was created for a row of a list. */
export type ShortenedLink = { row: number; alias: string; host: string | null; url: string }

const ROW_DIGITS = 10
const PAGE_ROWS = 1000

/**
 * Returns the key that identifies a row of a list, so that a list that was interrupted resumes. The
 * same list can be shortened again by another import.
 */
export function createRowKey(importId: number, row: number, url: string): SourceKey {
  const digest = createHash('sha256').update(url).digest('base64url').slice(0, 16)
  return { domain: String(importId), alias: `${String(row).padStart(ROW_DIGITS, '0')} ${digest}` }
}

/** Yields the links that an import created for a list, in the order of the rows. */
export async function* readShortenedLinks(
  scope: AccountScope,
  importId: number,
): AsyncGenerator<ShortenedLink, void> {
  for (let after = ''; ; ) {
    const keys = await own(scope)
      .selectFrom('imported_links')
      .select(['alias', 'link_id'])
      .where('source', '=', 'list')
      .where('domain', '=', String(importId))
      .where('alias', '>', after)
      .orderBy('alias')
      .limit(PAGE_ROWS)
      .execute()
    const last = keys.at(-1)
    if (!last) return
    const links = await findLinks(
      unscoped(scope),
      keys.map(({ link_id: id }) => id),
    )
    for (const { alias: key, link_id: id } of keys) {
      const link = links.get(id)
      if (link) yield { row: Number(key.slice(0, ROW_DIGITS)), ...link }
    }
    after = last.alias
  }
}

async function findLinks(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Omit<ShortenedLink, 'row'>>> {
  const rows = await db
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select(['links.id', 'links.alias', 'links.url', 'domains.host'])
    .where('links.id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, alias, url, host }) => [id, { alias, url, host }]))
}
