import { sql } from 'kysely'
import { own, unscoped } from '../../db/account-rows.ts'
import type { Page, PageQuery } from '../../db/pagination.ts'
import type { Db } from '../../db/pool.ts'
import { runPrepared } from '../../db/prepared.ts'
import type { AccountScope } from '../../scope.ts'
import { readTags } from '../../tags/link-tags.queries.ts'
import { shortUrlOf } from '../../urls/short-url.ts'
import { BROKEN_COLUMNS } from '../check/link-check.queries.ts'
import { type EntryRow, joinTotals, toEntry } from '../link.queries.ts'
import type { LinkEntry } from '../link.ts'
import { type LinkOrder, readPageOfLinks } from './link-sort.queries.ts'
import { type Search, searchLinks } from './search-links.queries.ts'

type LinkName = { alias: string; shortUrl: string; metaTitle: string | null }

/** Returns one page of an account's links with exact numbers of clicks. */
export async function listLinks(
  scope: AccountScope,
  baseUrl: string,
  page: PageQuery & { order: LinkOrder },
): Promise<Page<LinkEntry>> {
  const { ids, total } = await readPageOfLinks(scope, page)
  return { entries: await findEntries(scope, baseUrl, ids), total }
}

/** Returns one page of an account's links that match the criteria. */
export async function listMatching(
  db: Db,
  baseUrl: string,
  search: Search,
  page: PageQuery,
): Promise<Page<LinkEntry>> {
  const { ids, ...count } = await searchLinks(db, search, page)
  return { entries: await findEntries({ db, accountId: search.accountId }, baseUrl, ids), ...count }
}

/** Returns the list entries of links, in the order of the ids. Skips deleted links. */
export async function findEntries(
  scope: AccountScope,
  baseUrl: string,
  page: readonly number[],
): Promise<LinkEntry[]> {
  if (page.length === 0) return []
  const query = joinTotals(scope, page).select([
    'links.id',
    'links.alias',
    'links.url',
    'links.status',
    'links.blocked_at',
    'links.block_reason',
    'links.archived_at',
    'links.starts_at',
    'links.expires_at',
    'links.used_up_at',
    'links.meta_title',
    'links.meta_description',
    'links.created_at',
    'domains.origin',
    'click_totals.clicks',
    ...BROKEN_COLUMNS,
  ])
  const [rows, tags]: [EntryRow[], Awaited<ReturnType<typeof readTags>>] = await Promise.all([
    runPrepared(unscoped(scope), query.compile()),
    readTags(unscoped(scope), page),
  ])
  const rowsById = new Map(rows.map((row) => [row.id, row]))
  return page.flatMap((id) => {
    const row = rowsById.get(id)
    return row ? toEntry(row, tags.get(id), baseUrl) : []
  })
}

/** Returns aliases, short URLs and titles by link id. Omits links of QR codes and links in the trash. */
export async function readLinkNames(
  scope: AccountScope,
  baseUrl: string,
  ids: readonly number[],
): Promise<ReadonlyMap<number, LinkName>> {
  if (ids.length === 0) return new Map()
  const rows = await own(scope)
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select(['links.id', 'links.alias', 'links.meta_title', 'domains.origin'])
    .where('links.kind', '=', 'link')
    .where('links.id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .execute()
  return new Map(
    rows.map(({ id, alias, origin, meta_title: metaTitle }) => [
      id,
      { alias, shortUrl: shortUrlOf(origin ?? baseUrl, alias), metaTitle },
    ]),
  )
}

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
