import { isIP } from 'node:net'
import type { Context } from '../context.ts'
import { unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import type { Scope } from '../scope.ts'
import { withoutPort } from '../urls/host.ts'
import type { BrandedDomain, DnsState } from './branded-domain.ts'
import { storeDnsState } from './domain.queries.ts'
import { getDomain } from './domain.service.ts'
import { verifyDomain } from './domain-proof.ts'

/** The DNS record that points a branded domain to this service. */
type DnsRecord = { type: 'CNAME' | 'A' | 'AAAA'; value: string }

type CheckContext = Parameters<typeof verifyDomain>[0] & {
  clock: Context['clock']
  outbound: Pick<GuardedFetch, 'fetch' | 'hasAddress'>
}

/** Milliseconds for which the result of a check is reused. */
const FRESH_MS = 300_000

/** Returns whether the domain should be checked before its state is displayed as current. */
export function isStale({ dnsCheckedAt }: BrandedDomain, now: Date): boolean {
  return !dnsCheckedAt || now.getTime() - dnsCheckedAt.getTime() > FRESH_MS
}

/**
 * Returns an account's domain with its current state. If the last check was more than five minutes
 * ago, or with `force`, checks the domain now, which takes as long as an outbound request may take.
 *
 * @throws AppError `not_found`, `busy` if too many checks are running
 */
export async function getCheckedDomain(
  scope: Scope<CheckContext>,
  id: number,
  { force = false } = {},
): Promise<BrandedDomain> {
  const domain = await getDomain(scope, id)
  if (!force && !isStale(domain, scope.clock())) return domain
  const dnsState = await checkDomain(scope, unscoped(scope), domain)
  return { ...domain, dnsState, dnsCheckedAt: scope.clock() }
}

/**
 * Checks where a registered domain points. Stores and returns the result. @throws AppError `busy`
 */
export async function checkDomain(
  ctx: CheckContext,
  db: Db,
  { id, accountId, origin, host }: Pick<BrandedDomain, 'id' | 'accountId' | 'origin' | 'host'>,
): Promise<DnsState> {
  const { pointsHere } = await verifyDomain(ctx, accountId, origin)
  const state = pointsHere ? 'here' : await findStateElsewhere(ctx, accountId, host)
  await storeDnsState(db, id, state, ctx.clock())
  return state
}

/**
 * Distinguishes domains that point elsewhere from those without an IP address. This reveals nothing
 * about names in the operator's network, because only registered domains are checked, and these
 * have pointed here before.
 */
async function findStateElsewhere(
  { outbound }: Pick<CheckContext, 'outbound'>,
  account: number,
  host: string,
): Promise<DnsState> {
  const hasAddress = await outbound.hasAddress(withoutPort(host), { account })
  return hasAddress === false ? 'missing' : 'elsewhere'
}

/**
 * Returns the record for a service with this base URL. A CNAME record cannot contain an IP address.
 */
export function createDnsRecord({ hostname }: URL): DnsRecord {
  // A URL has brackets around an IPv6 address.
  const value = hostname.replace(/^\[|\]$/g, '')
  const type = ({ 4: 'A', 6: 'AAAA' } as const)[isIP(value)] ?? 'CNAME'
  return { type, value }
}
