import type { Context } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import { notify } from '../db/notify.ts'
import { deleteOwned, hasRow, listOwned, updateOwned } from '../db/owned.queries.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import { transact } from '../db/transaction.ts'
import { AppError, checkAllAsync, invalid } from '../errors.ts'
import { checkDestination } from '../holds/hold.service.ts'
import type { AccountScope, Scope } from '../scope.ts'
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
  const [columns] = await checkAllAsync(
    () => readDomainColumns(scope, { host }, input),
    () => requireProof(pointsHere),
    () => scope.storage.require(scope),
    (hasFailed) => hasFailed && requireFreeHost(scope, host),
  )
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
  const columns = await readDomainColumns(scope, domain, input)
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

function requireProof(pointsHere: boolean): void {
  if (!pointsHere) throw invalid('domain', 'points_here')
}

async function requireFreeHost(scope: AccountScope, host: string): Promise<void> {
  if (await hasRow(unscoped(scope), 'domains', 'host', host)) throw new AppError('domain_taken')
}

const REDIRECTS = ['redirectRoot', 'redirect404', 'expiredUrl'] as const

/**
 * Validates redirects and app links and returns their columns. A redirect must not form a loop. The host
 * is empty if it is invalid itself.
 *
 * @throws AppError `invalid_input` naming the field
 */
export async function readDomainColumns(
  scope: Scope<Context>,
  { host, ...domain }: Pick<BrandedDomain, 'host'> & Redirects,
  input: DomainInput,
) {
  const { forwardQuery, forwardPath } = input
  const urls = new Map<string, URL>()
  const current = REDIRECTS.map((field) => domain[field] ?? null)
  const [, appLinks] = await checkAllAsync(
    () =>
      checkAllAsync(
        ...REDIRECTS.map((field) => () => {
          const text = input[field]
          if (text) urls.set(field, parseDestinationUrl(field, text))
          const url = urls.get(field)
          if (
            field === 'redirectRoot' &&
            url &&
            normalizeHost(url.host) === host &&
            url.pathname === '/'
          ) {
            throw invalid('redirectRoot', 'domain_itself')
          }
        }),
        ...REDIRECTS.slice(1).map((field) => async () => {
          const url = urls.get(field)
          if (url && (normalizeHost(url.host) === host || (await scope.hosts.isOurs(url.host)))) {
            throw invalid(field, 'service_url')
          }
        }),
        ...REDIRECTS.map((field) => async () => {
          const url = urls.get(field)
          if (url) await checkDestination(scope, field, url, current)
        }),
      ),
    () => toAppLinkColumns(input),
  )
  const hrefOf = (field: string) => urls.get(field)?.href ?? null
  return {
    ...(input.redirectRoot !== undefined && { redirect_root: hrefOf('redirectRoot') }),
    ...(input.redirect404 !== undefined && { redirect_404: hrefOf('redirect404') }),
    ...(input.expiredUrl !== undefined && { expired_url: hrefOf('expiredUrl') }),
    ...(forwardQuery !== undefined && { forward_query: forwardQuery ?? false }),
    ...(forwardPath !== undefined && { forward_path: forwardPath ?? false }),
    ...appLinks,
  }
}
