import type { Db } from '../db/pool.ts'
import type { BrandedDomain } from './branded-domain.ts'

/**
 * Returns the domain with this host, or null if there is none. Omits its redirects if the account
 * is suspended.
 */
export async function findVisitedDomain(db: Db, host: string): Promise<BrandedDomain | null> {
  const row = await db
    .selectFrom('domains')
    .innerJoin('accounts', 'accounts.id', 'domains.account_id')
    .select([
      'domains.id',
      'domains.account_id',
      'domains.host',
      'domains.origin',
      'domains.redirect_root',
      'domains.redirect_404',
      'domains.expired_url',
      'domains.forward_query',
      'domains.forward_path',
      'domains.accent',
      'domains.logo',
      'domains.footer',
      'accounts.suspended_at',
    ])
    .where('domains.host', '=', host)
    .executeTakeFirst()
  return row ? toVisitedDomain(row) : null
}

/**
 * Returns the texts of the app links of the domain with this host. Returns undefined if there is no
 * such domain or its account is suspended.
 */
export function findAppLinks(
  db: Db,
  host: string,
): Promise<{ assetLinks: string | null; appSiteAssociation: string | null } | undefined> {
  return db
    .selectFrom('domains')
    .innerJoin('accounts', 'accounts.id', 'domains.account_id')
    .select(['asset_links as assetLinks', 'app_site_association as appSiteAssociation'])
    .where('domains.host', '=', host)
    .where('accounts.suspended_at', 'is', null)
    .executeTakeFirst()
}

/** The columns of a domain that visits need. `suspended_at` is a column of its account. */
export type VisitedDomainRow = {
  id: number
  account_id: number
  host: string
  origin: string
  redirect_root: string | null
  redirect_404: string | null
  expired_url: string | null
  forward_query: boolean
  forward_path: boolean
  accent: string | null
  logo: string | null
  footer: boolean
  suspended_at: unknown
}

export function toVisitedDomain(row: VisitedDomainRow): BrandedDomain {
  const isSuspended = row.suspended_at !== null
  return {
    id: row.id,
    accountId: row.account_id,
    host: row.host,
    origin: row.origin,
    redirectRoot: isSuspended ? null : row.redirect_root,
    redirect404: isSuspended ? null : row.redirect_404,
    expiredUrl: isSuspended ? null : row.expired_url,
    forwardQuery: row.forward_query,
    forwardPath: row.forward_path,
    brand: { accent: row.accent, logo: row.logo, footer: row.footer },
  }
}
