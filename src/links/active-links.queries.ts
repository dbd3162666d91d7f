import type { Db } from '../db/pool.ts'
import { shortUrlOf } from './short-url.ts'

/** Rows of one query: a few milliseconds' work, far below what a statement may take. */
const BATCH = 1000

/**
 * The short URLs of an account's links that are neither disabled nor expired at `now`, newest first; if
 * `domainId` is given, only of those on that domain.
 *
 * Every batch is a query of its own, continued by id, so that a slow reader holds no connection and
 * no snapshot. A batch is bounded by the rows it looks at, not by the rows it gives: with many dead
 * links in a row the latter would make one long query.
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
    for (const { origin, alias, status, expires_at: expiresAt, domain_id: onDomain } of rows) {
      const isOver = expiresAt !== null && expiresAt <= now
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
      'links.expires_at',
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
