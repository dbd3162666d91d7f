import type { Context } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import type { AccountScope, Scope } from '../scope.ts'
import { parseShortLink, parseShortUrl, shortUrlOf } from '../urls/short-url.ts'
import { findLinkByAlias } from './link.queries.ts'
import { getLink } from './link.service.ts'
import type { Link, LinkEntry } from './link.ts'
import { type LinkCriteria, type LinkFilter, readCriteria } from './link-filter.ts'
import * as active from './lists/link-list.queries.ts'
import * as lists from './lists/link-list.queries.ts'
import type { LinkOrder } from './lists/link-sort.queries.ts'
import { exceeds, findAfter, findAllIds, hasArchivedLinks } from './lists/search-links.queries.ts'
import { type Choice, selectRankedLinks } from './ranked-links.ts'
import { findAddress } from './short-link.ts'
import { findGuesses, type LinkGuesses } from './visit/password-guesses.queries.ts'

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
  scope: Scope<Context>,
  { filter = {}, limitCount = false, ...page }: LinkListQuery,
): Promise<Page<LinkEntry>> {
  const { baseUrl } = scope.config
  const requestedCriteria = await prepareCriteria(scope, filter)
  const find = async (handle: Db) => {
    const criteria = await omitUnusedArchive({ ...scope, db: handle }, requestedCriteria)
    if (!criteria) return lists.listLinks({ ...scope, db: handle }, baseUrl, page)
    const search = {
      accountId: scope.accountId,
      criteria,
      order: page.order,
      now: scope.clock(),
      limitCount,
    }
    return lists.listMatching(handle, baseUrl, search, page)
  }
  // A transaction must not wait in a queue, because it occupies a connection that others need.
  if (scope.db.isTransaction) return find(unscoped(scope))
  const { deepPages, searches } = scope
  if (page.offset > DEEP_OFFSET)
    return deepPages.turns.run(scope.accountId, () => find(deepPages.db))
  if (isUnfiltered(requestedCriteria)) return find(unscoped(scope))
  return searches.run(scope.accountId, () => find(unscoped(scope)))
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
  scope: Scope<Context>,
  { filter, afterId, limit }: { filter: LinkFilter; afterId: number | undefined; limit: number },
): Promise<{ entries: LinkEntry[]; afterId: number | undefined }> {
  const criteria = await prepareCriteria(scope, filter)
  const search = { accountId: scope.accountId, criteria: criteria ?? {}, now: scope.clock() }
  return scope.searches.run(scope.accountId, async () => {
    const { ids, readTo } = await findAfter(unscoped(scope), search, { before: afterId, limit })
    const entries = await lists.findEntries(scope, scope.config.baseUrl, ids)
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
  scope: Scope<Context>,
  filter: LinkFilter,
  limit: number,
): Promise<number[]> {
  const requestedCriteria = await prepareCriteria(scope, filter)
  return scope.searches.run(scope.accountId, async () => {
    const criteria = await omitUnusedArchive(scope, requestedCriteria)
    const search = { accountId: scope.accountId, now: scope.clock(), ...(criteria && { criteria }) }
    return findAllIds(unscoped(scope), search, limit)
  })
}

/** Returns whether more links than `max` match a filter, or whether counting them takes too long. */
export async function matchesMoreThan(
  scope: Scope<Context>,
  filter: LinkFilter,
  max: number,
): Promise<boolean> {
  if ((await countRows(unscoped(scope), 'links', scope.accountId)) <= max) return false
  const criteria = await prepareCriteria(scope, filter)
  const search = { accountId: scope.accountId, criteria: criteria ?? {}, now: scope.clock() }
  return scope.searches.run(scope.accountId, () => exceeds(unscoped(scope), search, max))
}

/** Returns the selected links of the account and its total number of links. */
export function selectLinks(
  scope: Scope<Context>,
  query: PageQuery & { choice: Choice },
): Promise<Page<LinkEntry>> {
  return selectRankedLinks((page) => listLinks(scope, page), query)
}

/** Returns the aliases and short URLs of the account's links by id. Skips other ids. */
export function readLinkNames(
  scope: Scope<Context>,
  ids: readonly number[],
): ReturnType<typeof lists.readLinkNames> {
  return lists.readLinkNames(scope, scope.config.baseUrl, ids)
}

/**
 * Returns links by id, in the order of the ids. Skips those that are unknown to the caller, as all on
 * another domain are to a key that is bound to one.
 */
export async function readLinkEntries(
  scope: Scope<Context>,
  ids: readonly number[],
): Promise<LinkEntry[]> {
  const { domain } = scope
  const entries = await lists.findEntries(scope, scope.config.baseUrl, ids)
  return domain
    ? entries.filter(({ shortUrl }) => new URL(shortUrl).origin === domain.origin)
    : entries
}

/**
 * Yields the short URLs of the account's active links, newest first, reading them as they are
 * consumed. Throws database errors, possibly midway.
 */
export function listActiveShortUrls(scope: Scope<Context>): AsyncIterable<string> {
  return active.listActiveShortUrls(scope, scope.config.baseUrl, scope.clock(), scope.domain?.id)
}

/**
 * Returns the account's link that a text refers to (see `parseShortLink`), or undefined. If the text
 * has no host, the domain of a bound key is assumed.
 */
export async function findByShortLink(
  scope: Scope<Context>,
  text: string,
): Promise<Link | undefined> {
  const { domain } = scope
  const parsed = domain && (await parseShortLink(text, scope.hosts.isOurs))
  const isAlias = parsed && parsed.host === undefined
  const shortLink = isAlias ? shortUrlOf(domain.origin, parsed.alias) : text
  const address = await findAddress(scope, unscoped(scope), shortLink, scope.accountId)
  if (!address || (domain && address.domainId !== domain.id)) return undefined
  return findLinkByAlias(scope, scope.config.baseUrl, address.domainId, address.alias)
}

/**
 * Returns how many guesses at the password of the account's link were wrong, and until when further
 * guesses must wait.
 *
 * @throws AppError `not_found`
 */
export async function getGuesses(scope: Scope<Context>, id: number): Promise<LinkGuesses> {
  await getLink(scope, id)
  return findGuesses(unscoped(scope), id)
}

/** Prepares a filter. A key that is bound to a domain only finds links on it. */
async function prepareCriteria(scope: Scope<Context>, filter: LinkFilter) {
  const search = await toAliasSearch(scope, filter.search)
  const domainId = scope.domain ? scope.domain.id : filter.domainId
  return readCriteria({ ...filter, search, ...(domainId !== undefined && { domainId }) })
}

/** Returns whether a list needs no search: it has no criteria, or only the archive criterion. */
function isUnfiltered(criteria: LinkCriteria | undefined): boolean {
  return Object.keys(criteria ?? {}).every((name) => name === 'archived')
}

/**
 * Omits the archive criterion if no links are archived, because the other criteria alone are
 * faster.
 */
async function omitUnusedArchive(scope: AccountScope, criteria: LinkCriteria | undefined) {
  if (criteria?.archived !== false || (await hasArchivedLinks(scope))) return criteria
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
