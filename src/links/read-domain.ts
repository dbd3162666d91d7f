import type { Db } from '../db/pool.ts'
import type { BrandedDomain } from '../domains/branded-domain.ts'
import { findOwnDomain } from '../domains/domain.queries.ts'
import { type Hosts, namedHost } from '../domains/hosts.ts'
import { invalid } from '../errors.ts'

/**
 * Makes the function that finds the domain which a client names for a link: its host, with or without
 * a scheme. Null stands for the service's own host, undefined for none named.
 */
export function createDomainReader({ db, hosts }: { db: Db; hosts: Hosts }) {
  /** @throws AppError `invalid_input` for a domain that the account does not have */
  return async function readDomain(
    accountId: number,
    domain: string | null | undefined,
  ): Promise<Pick<BrandedDomain, 'id' | 'origin'> | null | undefined> {
    if (!domain) return domain as null | undefined
    const host = namedHost(domain)
    if (hosts.isService(host)) return null
    const row = await findOwnDomain(db, accountId, host)
    if (!row) throw invalid('domain', 'is not a domain of this account')
    return row
  }
}
