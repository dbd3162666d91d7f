import type { Context } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import { notify } from '../db/notify.ts'
import { deleteOwned, listOwned, updateOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { transact } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import { checkDestination } from '../holds/hold.service.ts'
import { type AccountScope, type Scope, scopeOf } from '../scope.ts'
import { parseDestinationUrl } from '../urls/destination-url.ts'
import { normalizeHost } from '../urls/host.ts'
import { type AppLinks, toAppLinkColumns } from './app-links.ts'
import type { BrandedDomain } from './branded-domain.ts'
import * as queries from './domain.queries.ts'
import type { CheckedDomain } from './domain-proof.ts'

/**
 * The URLs to which a domain redirects `/`, unknown aliases and expired links, or null for none.
 * Also determines whether its links forward the visitor's query and path by default.
 */
export type Redirects = {
  redirectRoot?: string | null
  redirect404?: string | null
  expiredUrl?: string | null
  forwardQuery?: boolean | null
  forwardPath?: boolean | null
}

/** The properties of a domain as sent by a client. */
export type DomainInput = Redirects & Partial<AppLinks>

export async function listDomains(
  scope: AccountScope,
  page: PageQuery,
): Promise<Page<BrandedDomain>> {
  const { entries, total } = await listOwned(scope, 'domains', queries.COLUMNS, page)
  return { entries: entries.map(queries.toDomain), total }
}

/** Returns a domain of the account. @throws AppError `not_found` */
export async function getDomain(scope: AccountScope, id: number): Promise<BrandedDomain> {
  const domain = await queries.findDomain(scope, id)
  if (!domain) throw new AppError('not_found')
  return domain
}

/**
 * Returns a domain with the texts of its app links.
 *
 * @throws AppError `not_found`
 */
export async function getDomainDetails(
  scope: AccountScope,
  id: number,
): Promise<BrandedDomain & AppLinks> {
  const domain = await queries.findDomainDetails(scope, id)
  if (!domain) throw new AppError('not_found')
  return domain
}

/**
 * Adds a domain that `verifyDomain` has checked to an account.
 *
 * @throws AppError `invalid_input` naming the field, `domain_taken`
 */
export async function addDomain(
  scope: Scope<Context>,
  { host, origin, pointsHere }: CheckedDomain,
  input: DomainInput = {},
): Promise<BrandedDomain> {
  const columns = {
    ...(await readRedirects(scope, unscoped(scope), { accountId: scope.accountId, host }, input)),
    ...toAppLinkColumns(input),
  }
  if (!pointsHere) throw invalid('domain', 'points_here')
  await scope.storage.require(scope)
  const domain = await transact(scope, async (tx) => {
    await notify(unscoped(tx), [{ kind: 'domain', host }])
    return queries.insertDomain(unscoped(tx), {
      account_id: scope.accountId,
      host,
      origin,
      dns_checked_at: scope.clock(),
      ...columns,
    })
  })
  scope.hosts.invalidate(host)
  return domain
}

/**
 * Changes the redirects and app links that are set in the input. Null removes a value.
 *
 * @throws AppError `not_found`, `invalid_input` naming the field
 */
export async function updateDomain(
  scope: Scope<Context>,
  id: number,
  input: DomainInput,
): Promise<void> {
  const domain = await getDomain(scope, id)
  const columns = {
    ...(await readRedirects(scope, unscoped(scope), domain, input)),
    ...toAppLinkColumns(input),
  }
  if (Object.keys(columns).length === 0) return
  await scope.storage.require(scope)
  await transact(scope, async (tx) => {
    const updated = await updateOwned(tx, 'domains', id, columns)
    if (!updated) throw new AppError('not_found')
    await notify(unscoped(tx), [{ kind: 'domain', host: domain.host, id }])
  })
  scope.hosts.invalidate(domain.host)
  scope.visitLinks.invalidateDomain(id)
}

/**
 * Deletes a domain that has no links.
 *
 * @throws AppError `not_found`, `domain_in_use`
 */
export async function deleteUnusedDomain(scope: Scope<Context>, id: number): Promise<void> {
  const host = await transact(scope, async (tx) => {
    const deleted = await deleteOwned(tx, 'domains', id)
    if (!deleted) throw new AppError('not_found')
    await notify(unscoped(tx), [{ kind: 'domain', host: deleted.host }])
    return deleted.host
  })
  scope.hosts.invalidate(host)
}

/** Validates redirects and returns their columns. A redirect must not form a loop. */
async function readRedirects(
  ctx: Context,
  db: Db,
  { accountId, host, ...domain }: Pick<BrandedDomain, 'accountId' | 'host'> & Redirects,
  { redirectRoot, redirect404, expiredUrl, forwardQuery, forwardPath }: Redirects,
) {
  const rootUrl = redirectRoot ? parseDestinationUrl('redirectRoot', redirectRoot) : null
  if (rootUrl && normalizeHost(rootUrl.host) === host && rootUrl.pathname === '/') {
    throw invalid('redirectRoot', 'domain_itself')
  }
  const notFoundUrl = redirect404 ? parseDestinationUrl('redirect404', redirect404) : null
  const expirationUrl = expiredUrl ? parseDestinationUrl('expiredUrl', expiredUrl) : null
  for (const [field, url] of [
    ['redirect404', notFoundUrl],
    ['expiredUrl', expirationUrl],
  ] as const) {
    if (url && (normalizeHost(url.host) === host || (await ctx.hosts.isOurs(url.host)))) {
      throw invalid(field, 'service_url')
    }
  }
  const currentUrls = [
    domain.redirectRoot ?? null,
    domain.redirect404 ?? null,
    domain.expiredUrl ?? null,
  ]
  for (const [field, url] of [
    ['redirectRoot', rootUrl],
    ['redirect404', notFoundUrl],
    ['expiredUrl', expirationUrl],
  ] as const) {
    if (url) await checkDestination(scopeOf({ ...ctx, db }, accountId), field, url, currentUrls)
  }
  return {
    ...(redirectRoot !== undefined && { redirect_root: rootUrl?.href ?? null }),
    ...(redirect404 !== undefined && { redirect_404: notFoundUrl?.href ?? null }),
    ...(expiredUrl !== undefined && { expired_url: expirationUrl?.href ?? null }),
    ...(forwardQuery !== undefined && { forward_query: forwardQuery ?? false }),
    ...(forwardPath !== undefined && { forward_path: forwardPath ?? false }),
  }
}
