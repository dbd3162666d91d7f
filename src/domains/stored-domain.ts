import type { Lookups } from '../db/local-store.ts'
import type { BrandedDomain } from './branded-domain.ts'
import { toVisitedDomain, type VisitedDomainRow } from './host.queries.ts'

/**
 * Assembles the domain of a host from entries in the local store. Returns undefined if any entry is
 * missing.
 */
export function findStoredDomain({ get, find }: Lookups, host: string): BrandedDomain | undefined {
  const domain = find('domain', host)
  const account = domain && get('account', Number(domain.value.account_id))
  if (!account) return undefined
  const { suspended_at } = account.value
  return toVisitedDomain({ ...domain.value, id: domain.id, host, suspended_at } as VisitedDomainRow)
}
