import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import type { BrandedDomain } from '../domains/branded-domain.ts'
import { findOwnDomain } from '../domains/domain.queries.ts'
import type { Hosts } from '../domains/hosts.ts'
import { invalid } from '../errors.ts'
import type { AccountScope } from '../scope.ts'
import { parseHost } from '../urls/host.ts'
import { parseShortLink } from '../urls/short-url.ts'

/**
 * The address of a short link: on a branded domain with this origin, or on the service's own host
 * (both null).
 */
export type ShortLinkAddress = { domainId: number | null; origin: string | null; alias: string }

/**
 * Returns the address that a text refers to (see `parseShortLink`), or undefined if it is not on
 * one of our hosts. A text without a host refers to the alias on the service's own host or, if
 * there is none, on the only domain that has it. Considers the links of `accountId`, or of all
 * accounts.
 */
export async function findAddress(
  { hosts }: Pick<Context, 'hosts'>,
  db: Db,
  text: string,
  accountId?: number,
): Promise<ShortLinkAddress | undefined> {
  const shortLink = await parseShortLink(text, hosts.isOurs)
  if (!shortLink) return undefined
  const { host, alias } = shortLink
  if (host !== undefined) {
    const resolved = await hosts.resolve(host)
    if (resolved.kind === 'unknown') return undefined
    if (resolved.kind === 'service') return { domainId: null, origin: null, alias }
    return { domainId: resolved.domain.id, origin: resolved.domain.origin, alias }
  }
  const [first, second] = await findDomainsWithAlias(db, alias, accountId)
  if (!first || (first.domainId !== null && second)) return undefined
  return { ...first, alias }
}

/**
 * Returns up to two domains on which an alias exists, among the links of `accountId` or of all
 * accounts. The service's own host is `null` and comes first.
 */
function findDomainsWithAlias(
  db: Db,
  alias: string,
  accountId: number | undefined,
): Promise<{ domainId: number | null; origin: string | null }[]> {
  return db
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select(['links.domain_id as domainId', 'domains.origin'])
    .where('links.alias', '=', alias)
    .where('links.kind', '<>', 'deleted')
    .$if(accountId !== undefined, (query) =>
      query.where('links.account_id', '=', accountId ?? 0).where('links.kind', '=', 'link'),
    )
    .orderBy('links.domain_id', (order) => order.asc().nullsFirst())
    .limit(2)
    .execute()
}

/**
 * Returns the account's domain with this host, which may include a scheme. Returns null for the
 * service's own host, and undefined if no host is given. Throws `invalid_input` for any other host.
 */
export async function findNamedDomain(
  scope: AccountScope & { hosts: Pick<Hosts, 'isService'> },
  domain: string | null | undefined,
): Promise<Pick<BrandedDomain, 'id' | 'origin' | 'forwardQuery'> | null | undefined> {
  if (!domain) return domain as null | undefined
  const host = parseHost(domain)
  if (scope.hosts.isService(host)) return null
  const row = await findOwnDomain(scope, host)
  if (!row) throw invalid('domain', 'not_own_domain')
  return row
}
