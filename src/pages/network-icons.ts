import { readFileSync } from 'node:fs'
import { html, type SafeHtml } from '@remix-run/html-template'

/** The hosts of a network, and its logo: an SVG path in a 24 by 24 view box, from Simple Icons (CC0). */
type Network = { hosts: readonly string[]; path: string }

const networks = JSON.parse(
  readFileSync(new URL('./network-icons.json', import.meta.url), 'utf8'),
) as Record<string, Network>

const paths: ReadonlyMap<string, string> = new Map(
  Object.values(networks).flatMap(({ hosts, path }) => hosts.map((host) => [host, path] as const)),
)

/** Renders the logo of the network that a URL belongs to, or nothing for other URLs. */
export function renderNetworkIcon(url: string): SafeHtml | null {
  const path = findPath(URL.parse(url)?.hostname ?? '')
  if (path === undefined) return null
  return html`<svg class="network" viewBox="0 0 24 24" width="20" height="20" aria-hidden="true"><path d="${path}"/></svg>`
}

/** Returns the logo of a host, or of the closest host above it, such as that of `m.youtube.com`. */
function findPath(host: string): string | undefined {
  const labels = host.split('.')
  const parents = labels.map((_, index) => labels.slice(index).join('.'))
  const known = parents.find((parent) => paths.has(parent))
  // Every Mastodon server has its own host.
  return known ? paths.get(known) : host.includes('mastodon') ? networks.mastodon?.path : undefined
}
