import { createHash } from 'node:crypto'
import { canonicalHost } from '../blocked-hosts/blocked-host.ts'
import type { StoredRule, StoredVariant } from '../db/schema/links.ts'

type Targets = {
  url: string
  expired_url: string | null
  rules: readonly StoredRule[]
  split: readonly StoredVariant[]
  /** The links on the pages that visitors see first. */
  splash_link: string | null
  overlay_link: string | null
}

/**
 * Returns every destination that visitors of a link may be sent to, without duplicates, its own
 * first.
 */
export function targetsOf(row: Targets): string[] {
  const others = [row.expired_url ?? [], row.splash_link ?? [], row.overlay_link ?? []].flat()
  return [...new Set([row.url, ...[...row.rules, ...row.split].map(({ to }) => to), ...others])]
}

/**
 * Returns the distinct hosts of URLs, in the form used to compare blocked hosts. Skips invalid
 * URLs.
 */
export function hostsOf(targets: readonly string[]): string[] {
  const hosts = targets.map((target) => {
    const url = URL.parse(target)
    return url ? canonicalHost(url) : ''
  })
  return [...new Set(hosts.filter((host) => host !== ''))]
}

/** Returns a hash of a link's destinations, to detect changes. */
export function digestOf(targets: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(targets)).digest('base64url')
}
