import { createHash } from 'node:crypto'
import { toCanonicalHost } from '../blocked-hosts/blocked-host.ts'
import type { StoredRule, StoredVariant } from '../db/column-types.ts'

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
