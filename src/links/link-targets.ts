import { createHash } from 'node:crypto'
import { canonicalHost } from '../blocked-hosts/blocked-host.ts'
import type { RuleRow } from '../db/schema/links.ts'

type Targets = {
  url: string
  rules: readonly RuleRow[]
  /** The links of the pages that visitors meet before. */
  splash_link: string | null
  overlay_link: string | null
}

/** Everything that visitors of a link may be led to, its own target first, each address once. */
export function targetsOf(row: Targets): string[] {
  const pages = [row.splash_link ?? [], row.overlay_link ?? []].flat()
  return [...new Set([row.url, ...row.rules.map(({ to }) => to), ...pages])]
}

/** The hosts of addresses, as blocked hosts are compared, each once; what is no URL has none. */
export function hostsOf(targets: readonly string[]): string[] {
  const hosts = targets.map((target) => {
    const url = URL.parse(target)
    return url ? canonicalHost(url) : ''
  })
  return [...new Set(hosts.filter((host) => host !== ''))]
}

/** A short text that differs where what a link leads to does. */
export function digestOf(targets: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(targets)).digest('base64url')
}
