import { sql } from 'kysely'
import { own, unscoped } from '../db/account-rows.ts'
import { idArray } from '../db/arrays.ts'
import type { Db } from '../db/pool.ts'
import { prepareStatement } from '../db/prepared.ts'
import type { FieldColumns } from '../links/field.ts'
import { COLUMN_DEFAULTS, COLUMN_NAMES } from '../links/fields.ts'
import { readUsedClicks } from '../links/link-uses.queries.ts'
import type { AccountScope } from '../scope.ts'
import { readTags } from '../tags/link-tags.queries.ts'

/** An exported link, without its days. */
export type ExportedLink = FieldColumns & {
  id: number
  alias: string
  /** The host of the domain, or null for the service's own host. */
  host: string | null
  status: 'active' | 'disabled'
  archivedAt: Date | null
  createdAt: Date
  tags: readonly string[]
  clicks: number
  lastClickAt: Date | null
  /** The number of used clicks, if the link has a limit. */
  usedClicks: number
}

/** A day of a link, with packed hours and labels. */
export type ExportedDay = {
  day: string
  clicks: number
  hours: Buffer
  labels: Buffer
}

/** The maximum number of links per page. */
const MAX_PAGE_LINKS = 1000
/** The maximum size in bytes of a page, or of days read together. The last row may exceed it. */
const PAGE_BYTES = 256 * 1024
/** The maximum number of days of one link that are read together. */
const PAGE_DAYS = 400

/**
 * Returns the account's next links after an id with their tags and clicks, oldest first. Returns as
 * many as fit in a page, but at least one.
 */
export async function readPage(scope: AccountScope, after: number): Promise<ExportedLink[]> {
  return readExportedLinks(scope, await readPageIds(scope, after))
}

/** Returns the account's links with these ids, including their tags and clicks, oldest first. */
export async function readExportedLinks(
  scope: AccountScope,
  ids: readonly number[],
): Promise<ExportedLink[]> {
  if (ids.length === 0) return []
  const anyLink = sql<number>`any(${idArray(ids)}::bigint[])`
  const rows = await own(scope)
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select([
      'links.id',
      'alias',
      'host',
      'status',
      'links.created_at as createdAt',
      'links.archived_at as archivedAt',
      ...COLUMN_NAMES.map((name) => `links.${name}` as const),
    ])
    .where('links.id', '=', anyLink)
    .where('links.kind', '=', 'link')
    .orderBy('links.id')
    .execute()
  const tags = await readTags(unscoped(scope), ids)
  const uses = await readUsedClicks(unscoped(scope), rows)
  const totals = await unscoped(scope)
    .selectFrom('click_totals')
    .select(['link_id', 'clicks', 'last_click_at'])
    .where('link_id', '=', anyLink)
    .execute()
  const clicked = totals.filter(({ clicks }) => clicks > 0)
  const totalsByLink = new Map(clicked.map((row) => [row.link_id, row]))
  return rows.map((row) => ({
    ...row,
    tags: tags.get(row.id) ?? [],
    clicks: totalsByLink.get(row.id)?.clicks ?? 0,
    lastClickAt: totalsByLink.get(row.id)?.last_click_at ?? null,
    usedClicks: uses.get(row.id) ?? 0,
  }))
}

const SIZE_SQL = COLUMN_NAMES.filter((name) => Array.isArray(COLUMN_DEFAULTS[name]))
  .map((list) => `octet_length(${list}::text)`)
  .concat('octet_length(url)', 'coalesce(octet_length(meta_description), 0)')
  .join(' + ')

const selectNextLink = (id: string) => `
  select id, ${SIZE_SQL} as bytes from links
  where (account_id, id) > ($1, ${id}) and (account_id, id) < ($1, ${Number.MAX_SAFE_INTEGER})
    and kind = 'link'
  order by account_id, id limit 1`

// Reads one link at a time, so that PostgreSQL stops when the page is full. A link may have several
// megabytes.
const selectPageIds = prepareStatement<{ id: number }>(`
with recursive page as (
  select id, bytes, 1 as links from (${selectNextLink('$2')}) first
  union all
  select next.id, page.bytes + next.bytes, page.links + 1
  from page cross join lateral (${selectNextLink('page.id')}) next
  where page.bytes < ${PAGE_BYTES} and page.links < ${MAX_PAGE_LINKS}
)
select id from page`)

async function readPageIds(scope: AccountScope, after: number): Promise<number[]> {
  return (await selectPageIds(unscoped(scope), [scope.accountId, after])).map(({ id }) => id)
}

/**
 * Returns all days of links, by link id. Loads all days into memory, so it must only be used for
 * links with few days.
 */
export async function readDays(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, ExportedDay[]>> {
  const daysByLink = new Map<number, ExportedDay[]>()
  if (ids.length === 0) return daysByLink
  const rows = await db
    .selectFrom('click_days')
    .select(['link_id', 'clicks', 'hours', 'labels'])
    .select(sql<string>`day::text`.as('day'))
    .where('link_id', '=', sql<number>`any(${idArray(ids)}::bigint[])`)
    .orderBy('link_id')
    .orderBy('day')
    .execute()
  for (const { link_id, ...day } of rows) {
    const days = daysByLink.get(link_id)
    if (days) days.push(day)
    else daysByLink.set(link_id, [day])
  }
  return daysByLink
}

// Reads a single link, so that a cluster queries only the machine that stores it.
const nextDays = prepareStatement<ExportedDay>(`
select day::text as day, clicks, hours, labels
from (
  select *, sum(bytes) over (order by day rows unbounded preceding) - bytes as before
  from (
    select day, clicks, hours, labels,
      coalesce(octet_length(hours), 0) + coalesce(octet_length(labels), 0) as bytes
    from click_days where link_id = $1 and day > $2::date order by day limit ${PAGE_DAYS}
  ) days
) page
where before < ${PAGE_BYTES} order by page.day`)

/** Returns a link's next days after a date, oldest first, as many as fit in a page. */
export function readNextDays(db: Db, linkId: number, after: string): Promise<ExportedDay[]> {
  return nextDays(db, [linkId, after])
}

/** Returns the origins of an account's domains, by host. */
export async function findDomainOrigins(scope: AccountScope): Promise<ReadonlyMap<string, string>> {
  const rows = await own(scope).selectFrom('domains').select(['host', 'origin']).execute()
  return new Map(rows.map(({ host, origin }) => [host, origin]))
}
