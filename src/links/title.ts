import type { Link, Meta } from './link.ts'

/** Returns a link's display name: its title, or else the host of its destination. */
export function titleOf({ meta, url }: Pick<Link, 'url'> & { meta: Pick<Meta, 'title'> }): string {
  return meta.title ?? HOST.exec(url)?.[1] ?? new URL(url).host
}

/**
 * Returns the display name of a link for visitors who do not know its password: its title, or else
 * the host of its destination, or the alias if the password protects the destination.
 */
export function publicTitleOf({
  meta,
  url,
  alias,
  hasPassword,
}: Pick<Link, 'url' | 'alias' | 'hasPassword'> & { meta: Pick<Meta, 'title'> }): string {
  return hasPassword ? (meta.title ?? alias) : titleOf({ meta, url })
}

/**
 * Extracts the host from a validated URL. A list shows a thousand links, and parsing each URL takes
 * ten times as long.
 */
const HOST = /^https?:\/\/([^/?#@]+)(?:[/?#]|$)/
