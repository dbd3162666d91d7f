import type { Context } from '../context.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import * as active from './active-links.queries.ts'
import { findLinkByAlias } from './link.queries.ts'
import { getLink } from './link.service.ts'
import type { Link, LinkEntry } from './link.ts'
import { type LinkCriteria, type LinkFilter, readCriteria } from './link-filter.ts'
import * as lists from './link-list.queries.ts'
import type { LinkOrder } from './link-sort.queries.ts'
import { findGuesses, type LinkGuesses } from './password-guesses.queries.ts'
import { type Choice, selectRankedLinks } from './ranked-links.ts'
import { exceeds, findAfter, findAllIds, hasArchivedLinks } from './search-links.queries.ts'
import { findAddress } from './short-link.ts'
import { parseShortUrl } from './short-url.ts'

export type LinkListQuery = PageQuery & {
  order: LinkOrder
  filter?: LinkFilter
  /** Whether matches of a filter are counted only up to `COUNT_LIMIT`, which is faster. */
  limitCount?: boolean
}

/** A page after this many links takes longer than requests may. */
const DEEP_OFFSET = 200_000

/**
 * Lists the account's links, or those that match a filter.
 *
 * @throws AppError `invalid_input` naming `q` or `tag`, or `busy` if too many searches of the
 * account are waiting
 */
export async function listLinks(
  ctx: Context,
  db: Db,
  accountId: number,
  { filter = {}, limitCount = false, ...page }: LinkListQuery,
): Promise<Page<LinkEntry>> {
  const { baseUrl } = ctx.config
  const requestedCriteria = await prepareCriteria(ctx, filter)
  const find = async (handle: Db) => {
    const criteria = await omitUnusedArchive(handle, accountId, requestedCriteria)
    if (!criteria) return lists.listLinks(handle, baseUrl, accountId, page)
    const search = { accountId, criteria, order: page.order, now: ctx.clock(), limitCount }
    return lists.listMatching(handle, baseUrl, search, page)
  }
  // A transaction must not wait in a queue, because it occupies a connection that others need.
  if (db.isTransaction) return find(db)
  const { deepPages, searches } = ctx
  if (page.offset > DEEP_OFFSET) return deepPages.turns.run(accountId, () => find(deepPages.db))
  if (isUnfiltered(requestedCriteria)) return find(db)
  return searches.run(accountId, () => find(db))
}

/**
 * Lists links in the order in which they arrived, newest first, beginning after the link `afterId`.
 * Each call takes about the same time, however many links there are. Returns the id of the link
 * after which to continue, or undefined at the end. If few links match, there may be fewer than
 * `limit` before the end.
 *
 * @throws AppError like `listLinks`
 */
export async function listLinksAfter(
  ctx: Context,
  db: Db,
  accountId: number,
  { filter, afterId, limit }: { filter: LinkFilter; afterId: number | undefined; limit: number },
): Promise<{ entries: LinkEntry[]; afterId: number | undefined }> {
  const criteria = await prepareCriteria(ctx, filter)
  const search = { accountId, criteria: criteria ?? {}, now: ctx.clock() }
  return ctx.searches.run(accountId, async () => {
    const { ids, readTo } = await findAfter(db, search, { before: afterId, limit })
    const entries = await lists.findEntries(db, ctx.config.baseUrl, accountId, ids)
    return { entries, afterId: readTo }
  })
}

/**
 * Returns the ids of the account's links that match a filter, newest first, at most `limit`.
 *
 * @throws AppError `invalid_input` naming `q` or `tag`, or `busy` if too many searches of the
 * account are waiting
 */
export async function listLinkIds(
  ctx: Context,
  db: Db,
  accountId: number,
  filter: LinkFilter,
  limit: number,
): Promise<number[]> {
  const requestedCriteria = await prepareCriteria(ctx, filter)
  return ctx.searches.run(accountId, async () => {
    const criteria = await omitUnusedArchive(db, accountId, requestedCriteria)
    const search = { accountId, now: ctx.clock(), ...(criteria && { criteria }) }
    return findAllIds(db, search, limit)
  })
}

/** Returns whether more links than `max` match a filter, or whether counting them takes too long. */
export async function matchesMoreThan(
  ctx: Context,
  db: Db,
  accountId: number,
  filter: LinkFilter,
  max: number,
): Promise<boolean> {
  if ((await countRows(db, 'links', accountId)) <= max) return false
  const criteria = await prepareCriteria(ctx, filter)
  const search = { accountId, criteria: criteria ?? {}, now: ctx.clock() }
  return ctx.searches.run(accountId, () => exceeds(db, search, max))
}

/** Returns the selected links of the account and its total number of links. */
export function selectLinks(
  ctx: Context,
  db: Db,
  accountId: number,
  query: PageQuery & { choice: Choice },
): Promise<Page<LinkEntry>> {
  return selectRankedLinks((page) => listLinks(ctx, db, accountId, page), query)
}

/** Returns the aliases and short URLs of the account's links by id. Skips other ids. */
export function readLinkNames(
  ctx: Context,
  db: Db,
  accountId: number,
  ids: readonly number[],
): ReturnType<typeof lists.readLinkNames> {
  return lists.readLinkNames(db, ctx.config.baseUrl, accountId, ids)
}

/**
 * Yields the short URLs of the account's active links, newest first, reading them as they are
 * consumed. With `domainId`, yields only links on that domain. Throws database errors, possibly
 * midway.
 */
export function listActiveShortUrls(
  ctx: Context,
  db: Db,
  accountId: number,
  domainId?: number,
): AsyncIterable<string> {
  return active.listActiveShortUrls(db, ctx.config.baseUrl, accountId, ctx.clock(), domainId)
}

/** Returns the account's link that a text refers to (see `parseShortLink`), or undefined. */
export async function findByShortLink(
  ctx: Context,
  db: Db,
  accountId: number,
  text: string,
): Promise<Link | undefined> {
  const address = await findAddress(ctx, db, text, accountId)
  return (
    address && findLinkByAlias(db, ctx.config.baseUrl, accountId, address.domainId, address.alias)
  )
}

/**
 * Returns how many guesses at the password of the account's link were wrong, and until when further
 * guesses must wait.
 *
 * @throws AppError `not_found`
 */
export async function getGuesses(
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
): Promise<LinkGuesses> {
  await getLink(ctx, db, accountId, id)
  return findGuesses(db, id)
}

async function prepareCriteria(ctx: Context, filter: LinkFilter) {
  return readCriteria({ ...filter, search: await toAliasSearch(ctx, filter.search) })
}

/** Returns whether a list needs no search: it has no criteria, or only the archive criterion. */
function isUnfiltered(criteria: LinkCriteria | undefined): boolean {
  return Object.keys(criteria ?? {}).every((name) => name === 'archived')
}

/**
 * Omits the archive criterion if no links are archived, because the other criteria alone are
 * faster.
 */
async function omitUnusedArchive(db: Db, accountId: number, criteria: LinkCriteria | undefined) {
  if (criteria?.archived !== false || (await hasArchivedLinks(db, accountId))) return criteria
  const { archived: _, ...others } = criteria
  return Object.keys(others).length > 0 ? others : undefined
}

/** Returns the search text with the aliases of our short links in place of their URLs. */
async function toAliasSearch({ hosts }: Context, search: string | undefined) {
  if (!search?.includes('/')) return search
  const words = search
    .trim()
    .split(/\s+/)
    .map(async (word) => {
      const shortUrl = word.includes('/') ? parseShortUrl(word) : undefined
      return shortUrl && (await hosts.isOurs(shortUrl.host)) ? shortUrl.alias : word
    })
  return (await Promise.all(words)).join(' ')
}
