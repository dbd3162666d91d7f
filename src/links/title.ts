import { describeTarget } from '../urls/destination-url.ts'
import type { Link } from './link.ts'

/**
 * Matches the host in a validated URL. A list shows a thousand links, and parsing each URL would
 * take ten times as long.
 */
const HOST = /^https?:\/\/([^/?#@]+)(?:[/?#]|$)/

/** Returns a link's display name: its title, or the host of its destination if it has no title. */
export function titleOf({ metaTitle, url }: Pick<Link, 'url' | 'metaTitle'>): string {
  return metaTitle ?? HOST.exec(url)?.[1] ?? describeTarget(new URL(url))
}

/**
 * Returns the display name of a link for visitors who do not know its password: its title or,
 * failing that, the host of its destination. If the password protects the destination, the alias
 * replaces the host.
 */
export function publicTitleOf({
  metaTitle,
  url,
  alias,
  hasPassword,
}: Pick<Link, 'url' | 'alias' | 'hasPassword' | 'metaTitle'>): string {
  return hasPassword ? (metaTitle ?? alias) : titleOf({ metaTitle, url })
}
