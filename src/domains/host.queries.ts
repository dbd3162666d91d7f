import type { Db } from '../db/pool.ts'
import type { BrandedDomain } from './branded-domain.ts'

/** The domain of that host. One of a suspended account leads its visitors nowhere. */
export async function findVisitedDomain(db: Db, host: string): Promise<BrandedDomain | null> {
  const row = await db
    .selectFrom('domains')
    .innerJoin('accounts', 'accounts.id', 'domains.account_id')
    .selectAll('domains')
    .select('accounts.suspended_at')
    .where('domains.host', '=', host)
    .executeTakeFirst()
  if (!row) return null
  const isOff = row.suspended_at !== null
  return {
    id: row.id,
    accountId: row.account_id,
    host: row.host,
    origin: row.origin,
    redirectRoot: isOff ? null : row.redirect_root,
    redirect404: isOff ? null : row.redirect_404,
  }
}
