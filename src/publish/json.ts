import { join } from 'node:path'
import type { Site, SiteWriter } from './site.ts'
import { createTextFile } from './text-file.ts'

/** Starts `links.json` of a site: one JSON object with a line per link. */
export async function startJsonSite(
  folder: string,
  { origin, root, notFound }: Site,
): Promise<SiteWriter> {
  const file = createTextFile(join(folder, 'links.json'))
  // The object without its closing brace.
  const head = JSON.stringify({ origin, root: root ?? null, notFound: notFound ?? null }).slice(
    0,
    -1,
  )
  let separator = '\n'
  await file.write(`${head},"links":[`)
  return {
    async add(alias, url) {
      await file.write(`${separator}${JSON.stringify({ alias, url })}`)
      separator = ',\n'
    },
    end: () => file.end('\n]}\n'),
  }
}
