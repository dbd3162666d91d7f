import type { Db } from '../db/pool.ts'
import { shortUrlOf } from './short-url.ts'

/** Rows per query, which take a few milliseconds. */
const BATCH = 1000

/**
 * Yields the short URLs of an account's active links (started, not disabled, not expired at `now`),
 * newest first. With `domainId`, only those on that domain.
 *
 * Each batch is a separate query that continues after an id, so a slow reader holds no connection
 * or snapshot. A batch is limited by the rows it reads, not by the rows it returns: a long run of
 * inactive links would otherwise make one long query.
 */
export async function* activeShortUrls(
  db: Db,
  baseUrl: string,
  accountId: number,
  now: Date,
  domainId?: number,
): AsyncGenerator<string> {
  let before = Number.MAX_SAFE_INTEGER
  for (;;) {
    const rows = await readBatch(db, accountId, before)
    for (const { origin, alias, status, starts_at, ends_at, domain_id: onDomain } of rows) {
      const isOver = (ends_at !== null && ends_at <= now) || (starts_at !== null && starts_at > now)
      const isWanted = domainId === undefined || onDomain === domainId
      if (isWanted && status === 'active' && !isOver) yield shortUrlOf(origin ?? baseUrl, alias)
    }
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return
    before = last.id
  }
}

function readBatch(db: Db, accountId: number, before: number) {
  return db
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select([
      'links.id',
      'links.alias',
      'links.status',
      'links.starts_at',
      'links.ends_at',
      'links.domain_id',
      'domains.origin',
    ])
    .where('links.account_id', '=', accountId)
    .where('links.kind', '=', 'link')
    .where('links.id', '<', before)
    .orderBy('links.id', 'desc')
    .limit(BATCH)
    .execute()
}
