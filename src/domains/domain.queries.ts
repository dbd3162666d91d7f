import type { Selectable, Updateable } from 'kysely'
import { own } from '../db/account-rows.ts'
import { findOwned } from '../db/owned.queries.ts'
import type { Db } from '../db/pool.ts'
import type { Domains } from '../db/tables.generated.ts'
import type { AccountScope } from '../scope.ts'
import type { AppLinks } from './app-links.ts'
import type { Brand, BrandedDomain } from './branded-domain.ts'

export const COLUMNS = [
  'id',
  'account_id',
  'host',
  'origin',
  'redirect_root',
  'redirect_404',
  'expired_url',
  'forward_query',
  'forward_path',
  'dns_state',
  'dns_checked_at',
] as const

type Settings = Pick<
  Updateable<Domains>,
  | 'redirect_root'
  | 'redirect_404'
  | 'expired_url'
  | 'forward_query'
  | 'forward_path'
  | 'asset_links'
  | 'app_site_association'
>

/** Registers a host. A unique index prevents two accounts from having the same host. */
export async function insertDomain(
  db: Db,
  values: { account_id: number; host: string; origin: string; dns_checked_at: Date } & Settings,
): Promise<BrandedDomain> {
  const row = await db
    .insertInto('domains')
    .values({ ...values, dns_state: 'here' })
    .returningAll()
    .executeTakeFirstOrThrow()
  return toDomain(row)
}

export async function findDomain(
  scope: AccountScope,
  id: number,
): Promise<BrandedDomain | undefined> {
  const row = await findOwned(scope, 'domains', id)
  return row && toDomain(row)
}

export async function findBrand(scope: AccountScope, id: number): Promise<Brand | undefined> {
  return own(scope)
    .selectFrom('domains')
    .select(['accent', 'logo', 'footer'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Returns the account's domain with this host, or undefined if there is none. */
export function findOwnDomain(
  scope: AccountScope,
  host: string,
): Promise<{ id: number; host: string; origin: string; forwardQuery: boolean } | undefined> {
  return own(scope)
    .selectFrom('domains')
    .select(['id', 'host', 'origin', 'forward_query as forwardQuery'])
    .where('host', '=', host)
    .executeTakeFirst()
}

/** Returns an account's domain with the texts of its app links, or undefined if there is none. */
export async function findDomainDetails(
  scope: AccountScope,
  id: number,
): Promise<(BrandedDomain & AppLinks) | undefined> {
  const row = await findOwned(scope, 'domains', id)
  if (!row) return undefined
  const { asset_links: assetLinks, app_site_association: appSiteAssociation } = row
  return { ...toDomain(row), assetLinks, appSiteAssociation }
}

/** Stores the result of a check, unless the domain was deleted. */
export async function storeDnsState(
  db: Db,
  id: number,
  state: NonNullable<Domains['dns_state']>,
  at: Date,
): Promise<void> {
  await db
    .updateTable('domains')
    .set({ dns_state: state, dns_checked_at: at })
    .where('id', '=', id)
    .execute()
}

export function toDomain(row: Pick<Selectable<Domains>, (typeof COLUMNS)[number]>): BrandedDomain {
  return {
    id: row.id,
    accountId: row.account_id,
    host: row.host,
    origin: row.origin,
    redirectRoot: row.redirect_root,
    redirect404: row.redirect_404,
    expiredUrl: row.expired_url,
    forwardQuery: row.forward_query,
    forwardPath: row.forward_path,
    dnsState: row.dns_state,
    dnsCheckedAt: row.dns_checked_at,
  }
}
