import { createHash } from 'node:crypto'
import type { BlockList } from '../blocked-hosts/block-list.ts'
import { toCanonicalHost } from '../blocked-hosts/blocked-host.ts'
import type { StoredRule, StoredVariant } from '../db/column-types.ts'
import type { Hosts } from '../domains/hosts.ts'
import { type AppError, invalid } from '../errors.ts'
import { isWebUrl, parseDestinationUrl } from '../urls/destination-url.ts'

type Context = { hosts: Pick<Hosts, 'isOurs'>; blockList: Pick<BlockList, 'check'> }

/**
 * Returns a destination in stored form. A destination must not be on a blocked host, and not on the
 * service's own hosts, because links to links could form a loop. Throws `invalid_input` naming
 * `field`.
 */
export async function checkDestination(
  { hosts, blockList }: Context,
  field: string,
  value: string,
): Promise<string> {
  const url = parseDestinationUrl(field, value)
  if (isWebUrl(url) && (await hosts.isOurs(url.host))) throw createServiceUrlError(field)
  await blockList.check(field, url)
  return url.href
}

export function createServiceUrlError(field: string): AppError {
  return invalid(field, 'service_url')
}

type DestinationColumns = {
  url: string
  expired_url: string | null
  rules: readonly StoredRule[]
  split: readonly StoredVariant[]
  /** The links on the splash page or overlay, which visitors see first. */
  splash_link: string | null
  overlay_link: string | null
}

/**
 * Returns every destination to which visitors of a link may be sent, without duplicates. The link's
 * own destination is first.
 */
export function listDestinations(row: DestinationColumns): string[] {
  const others = [row.expired_url ?? [], row.splash_link ?? [], row.overlay_link ?? []].flat()
  return [...new Set([row.url, ...[...row.rules, ...row.split].map(({ to }) => to), ...others])]
}

/** Returns the distinct hosts of URLs, normalized like blocked hosts. Skips invalid URLs. */
export function listHosts(destinations: readonly string[]): string[] {
  const hosts = destinations.map((destination) => {
    const url = URL.parse(destination)
    return url ? toCanonicalHost(url) : ''
  })
  return [...new Set(hosts.filter((host) => host !== ''))]
}

/** Returns a hash that changes when a link's destinations change. */
export function hashDestinations(destinations: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(destinations)).digest('base64url')
}
