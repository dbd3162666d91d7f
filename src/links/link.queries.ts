import { type Selectable, sql } from 'kysely'
import { own, unscoped } from '../db/account-rows.ts'
import { idArray } from '../db/arrays.ts'
import { runPrepared } from '../db/prepared.ts'
import type { RecordedTx } from '../db/recorded-tx.ts'
import type { Links } from '../db/tables.generated.ts'
import type { Tx } from '../db/transaction.ts'
import { reserveFormerAlias } from '../holds/reserve.queries.ts'
import type { AccountScope } from '../scope.ts'
import { readTags } from '../tags/link-tags.queries.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import { BROKEN_COLUMNS, type BrokenRow, isBroken, toBroken } from './check/link-check.queries.ts'
import { COLUMN_NAMES, readFieldValues } from './fields.ts'
import type { LinkColumns } from './insert-links.queries.ts'
import type { Link, LinkAddress, LinkEntry } from './link.ts'
import { readUsedClicks } from './link-uses.queries.ts'
import { releaseAliases } from './remove-links.queries.ts'

/** The columns that both owners and visits need. */
export const LINK_COLUMNS = [
  'links.id',
  'links.alias',
  'links.status',
  'links.used_up_at',
  'links.ends_at',
  'links.created_at',
  ...COLUMN_NAMES.map((name) => `links.${name}` as const),
  'domains.origin',
] as const

type TagsById = Awaited<ReturnType<typeof readTags>>

type LinkRow = Omit<Selectable<Links>, 'kind' | 'search_text' | 'created_by'> & {
  origin: string | null
  clicks: number | null
  last_click_at: Date | null
} & BrokenRow

/** Returns a link of an account, or undefined if there is no such link. */
export async function findLink(
  scope: AccountScope,
  baseUrl: string,
  id: number,
): Promise<Link | undefined> {
  const [link] = await findLinks(scope, baseUrl, [id])
  return link
}

/**
 * Returns the links with these ids, in the same order. Skips ids of other accounts and of QR codes.
 */
export async function findLinks(
  scope: AccountScope,
  baseUrl: string,
  ids: readonly number[],
): Promise<Link[]> {
  if (ids.length === 0) return []
  const [rows, tags]: [LinkRow[], TagsById] = await Promise.all([
    runPrepared(unscoped(scope), selectLinks(scope, ids).compile()),
    readTags(unscoped(scope), ids),
  ])
  const uses = await readUsedClicks(unscoped(scope), rows)
  const linksById = new Map(
    rows.map((row) => {
      const usedClicks = uses.get(row.id) ?? 0
      return [row.id, { ...toLink(row, tags.get(row.id), baseUrl), usedClicks }]
    }),
  )
  return ids.flatMap((id) => linksById.get(id) ?? [])
}

/**
 * Returns the account's link with this alias on a domain, or undefined if there is none. A `null`
 * domain is the service's own host.
 */
export async function findLinkByAlias(
  scope: AccountScope,
  baseUrl: string,
  domainId: number | null,
  alias: string,
): Promise<Link | undefined> {
  const row = await own(scope)
    .selectFrom('links')
    .select('id')
    .where('alias', '=', alias)
    .where('domain_id', domainId === null ? 'is' : '=', domainId)
    .where('kind', '=', 'link')
    .executeTakeFirst()
  return row && findLink(scope, baseUrl, row.id)
}

/**
 * Updates a link of an account. Returns its previous state and whether anything changed, or
 * undefined if there is no such link.
 */
export async function updateLink(
  scope: AccountScope<RecordedTx>,
  id: number,
  changes: Partial<LinkColumns>,
): Promise<
  (LinkAddress & { isBlocked: boolean; hasChanged: boolean; rules: unknown }) | undefined
> {
  const before = await own(scope)
    .selectFrom('links')
    .select(['alias', 'domain_id', 'blocked_at', 'rules'])
    .where('id', '=', id)
    .where('kind', '=', 'link')
    .forUpdate()
    .executeTakeFirst()
  if (!before) return undefined
  const { alias = before.alias, domain_id = before.domain_id } = changes
  if (alias !== before.alias || domain_id !== before.domain_id) {
    await reserveFormerAlias(unscoped(scope), id)
    await releaseAliases(scope, [{ domainId: domain_id, alias }])
  }
  const hasChanged = await changeColumns(unscoped(scope), id, changes)
  const { domain_id: domainId, blocked_at: blockedAt } = before
  const { rules } = before
  return { alias: before.alias, domainId, isBlocked: blockedAt !== null, hasChanged, rules }
}

/** Updates those columns of a link whose values differ. Returns whether there were any. */
async function changeColumns(tx: Tx, id: number, changes: Partial<LinkColumns>): Promise<boolean> {
  const columns = Object.entries(changes).map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? JSON.stringify(value) : value,
  ])
  if (columns.length === 0) return false
  const { numUpdatedRows } = await tx
    .updateTable('links')
    .set(Object.fromEntries(columns))
    .where('id', '=', id)
    .where(({ or }) =>
      or(columns.map(([name, value]) => sql<boolean>`${sql.ref(name)} is distinct from ${value}`)),
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Joins links with their totals and checks. The ids are repeated in the condition for the totals, so
 * that totals are looked up together instead of one by one.
 */
export function joinTotals(scope: AccountScope, linkIds: readonly number[]) {
  const ids = sql<number>`any(${idArray(linkIds)}::bigint[])`
  return own(scope)
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .leftJoin('click_totals', (join) =>
      join.onRef('click_totals.link_id', '=', 'links.id').on('click_totals.link_id', '=', ids),
    )
    .leftJoin('link_checks', (join) =>
      join.onRef('link_checks.link_id', '=', 'links.id').on(isBroken),
    )
    .where('links.kind', '=', 'link')
    .where('links.id', '=', ids)
}

function selectLinks(scope: AccountScope, linkIds: readonly number[]) {
  return joinTotals(scope, linkIds).select([
    ...LINK_COLUMNS,
    'links.blocked_at',
    'links.block_reason',
    'links.archived_at',
    'links.account_id',
    'links.domain_id',
    'click_totals.clicks',
    'click_totals.last_click_at',
    ...BROKEN_COLUMNS,
  ])
}

/** The columns of a link in a list. */
export type EntryRow = Pick<
  Selectable<Links>,
  | 'id'
  | 'alias'
  | 'url'
  | 'status'
  | 'blocked_at'
  | 'block_reason'
  | 'archived_at'
  | 'starts_at'
  | 'expires_at'
  | 'used_up_at'
  | 'meta_title'
  | 'meta_description'
  | 'created_at'
> & { origin: string | null; clicks: number | null } & BrokenRow

export function toEntry(row: EntryRow, tags: readonly string[] = [], baseUrl: string): LinkEntry {
  return {
    id: row.id,
    alias: row.alias,
    shortUrl: shortUrlOf(row.origin ?? baseUrl, row.alias),
    url: row.url,
    tags,
    status: row.status,
    block: row.blocked_at && { at: row.blocked_at, reason: row.block_reason },
    archivedAt: row.archived_at,
    startsAt: row.starts_at,
    broken: toBroken(row),
    expiresAt: row.expires_at,
    usedUpAt: row.used_up_at,
    metaTitle: row.meta_title,
    metaDescription: row.meta_description,
    createdAt: row.created_at,
    clicks: row.clicks ?? 0,
  }
}

function toLink(
  row: LinkRow,
  tags: readonly string[] | undefined,
  baseUrl: string,
): Omit<Link, 'usedClicks'> {
  const { password: hasPassword, ...fields } = readFieldValues(row)
  return {
    ...fields,
    ...toEntry(row, tags, baseUrl),
    hasPassword,
    accountId: row.account_id,
    domainId: row.domain_id,
    lastClickAt: row.last_click_at,
  }
}

/** Returns the address of an account's link, or undefined if there is no such link. */
export async function findLinkAddress(
  scope: AccountScope,
  id: number,
): Promise<LinkAddress | undefined> {
  const row = await own(scope)
    .selectFrom('links')
    .select(['alias', 'domain_id'])
    .where('id', '=', id)
    .executeTakeFirst()
  return row && { alias: row.alias, domainId: row.domain_id }
}
