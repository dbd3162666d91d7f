import type { Link, Meta } from './link.ts'

/** What a link is called: its own title, else the host of its target. */
export function titleOf({ meta, url }: Pick<Link, 'url'> & { meta: Pick<Meta, 'title'> }): string {
  return meta.title ?? HOST.exec(url)?.[1] ?? new URL(url).host
}

/**
 * What visitors who need not know its password see a link called: its own title, else the host of its
 * target, or its alias where the target is what the password keeps.
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
 * What a parsed URL says of its host; a list shows a thousand, and parsing each again takes ten times
 * as long.
 */
const HOST = /^https?:\/\/([^/?#@]+)(?:[/?#]|$)/
