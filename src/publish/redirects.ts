import { join } from 'node:path'
import { toAliasPath } from '../links/short-url.ts'
import type { Site, SiteWriter } from './site.ts'
import { createTextFile } from './text-file.ts'

/**
 * Starts the `_redirects` file of a site for Netlify and Cloudflare Pages. It has one line per
 * link, with an encoded path.
 */
export async function startRedirectsSite(
  folder: string,
  { root, notFound }: Site,
): Promise<SiteWriter> {
  const file = createTextFile(join(folder, '_redirects'))
  if (root) await file.write(`/ ${root} 302\n`)
  return {
    add: (alias, destination) => file.write(`${toAliasPath(alias)} ${destination} 302\n`),
    end: () => file.end(notFound && !notFound.includes(':splat') ? `/* ${notFound} 302\n` : ''),
  }
}
