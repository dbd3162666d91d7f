import type { BrandedDomain } from '../domains/branded-domain.ts'
import { findOwnDomain } from '../domains/domain.queries.ts'
import type { Hosts } from '../domains/hosts.ts'
import { invalid } from '../errors.ts'
import type { AccountScope } from '../scope.ts'
import { parseHost } from '../urls/host.ts'

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
