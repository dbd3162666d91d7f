import { own } from '../../db/account-rows.ts'
import type { AccountScope } from '../../scope.ts'
import { shortUrlOf } from '../../urls/short-url.ts'

/** A query for this many rows takes a few milliseconds. */
const BATCH = 1000

/**
 * Yields the short URLs of an account's active links, newest first. A link is active if it has
 * started, is not disabled and has not expired at `now`. With `domainId`, yields only links on that
 * domain.
 *
 * Each batch is a separate query that continues after an id, so a slow reader does not occupy a
 * connection or snapshot. A batch limits the rows it reads, not the rows it returns. Otherwise a
 * long run of inactive links would make one query slow.
 */
export async function* listActiveShortUrls(
  scope: AccountScope,
  baseUrl: string,
  now: Date,
  domainId?: number,
): AsyncGenerator<string> {
  let beforeId = Number.MAX_SAFE_INTEGER
  for (;;) {
    const rows = await readBatch(scope, beforeId)
    for (const { origin, alias, status, starts_at, ends_at, domain_id: linkDomainId } of rows) {
      const isInactive =
        (ends_at !== null && ends_at <= now) || (starts_at !== null && starts_at > now)
      const isOnDomain = domainId === undefined || linkDomainId === domainId
      if (isOnDomain && status === 'active' && !isInactive)
        yield shortUrlOf(origin ?? baseUrl, alias)
    }
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return
    beforeId = last.id
  }
}

function readBatch(scope: AccountScope, beforeId: number) {
  return own(scope)
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
    .where('links.kind', '=', 'link')
    .where('links.id', '<', beforeId)
    .orderBy('links.id', 'desc')
    .limit(BATCH)
    .execute()
}
