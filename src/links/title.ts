import type { Link, Meta } from './link.ts'

/** What a link is called: its own title, else the host of its target. */
export function titleOf({ meta, url }: Pick<Link, 'url'> & { meta: Pick<Meta, 'title'> }): string {
  return meta.title ?? new URL(url).host
}
