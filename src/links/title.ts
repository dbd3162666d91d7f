import type { Link } from './link.ts'

/** Returns a link's display name: its title, or else the host of its destination. */
export function titleOf({ metaTitle, url }: Pick<Link, 'url' | 'metaTitle'>): string {
  return metaTitle ?? HOST.exec(url)?.[1] ?? new URL(url).host
}

/**
 * Returns the display name of a link for visitors who do not know its password: its title, or else
 * the host of its destination, or the alias if the password protects the destination.
 */
export function publicTitleOf({
  metaTitle,
  url,
  alias,
  hasPassword,
}: Pick<Link, 'url' | 'alias' | 'hasPassword' | 'metaTitle'>): string {
  return hasPassword ? (metaTitle ?? alias) : titleOf({ metaTitle, url })
}

/**
 * Extracts the host from a validated URL. A list shows a thousand links, and parsing each URL takes
 * ten times as long.
 */
const HOST = /^https?:\/\/([^/?#@]+)(?:[/?#]|$)/
