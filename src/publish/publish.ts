import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readBlockedHosts } from '../blocked-hosts/blocked-host.queries.ts'
import { createHostMatcher } from '../blocked-hosts/blocked-host.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, SNAPSHOT, type Tx } from '../db/transaction.ts'
import { replaceFolder } from '../files/replace-folder.ts'
import { shortUrlOf } from '../links/short-url.ts'
import { formatCsvHeader, formatCsvRow } from '../transfer/write/csv-line.ts'
import { startCaddySite } from './caddy.ts'
import { toPublication, toPublishableUrl } from './differences.ts'
import { startJsonSite } from './json.ts'
import { renderShared, startNginxSite } from './nginx.ts'
import { countLinks, readDomains, readLinks } from './publish.queries.ts'
import { startRedirectsSite } from './redirects.ts'
import { type Site, type StartSite, toFolderName } from './site.ts'
import { createTextFile } from './text-file.ts'

const FORMATS: readonly StartSite[] = [
  startNginxSite,
  startCaddySite,
  startRedirectsSite,
  startJsonSite,
]

const README = `Redirects published by Brevis. See docs/leaving.md for how to serve them.

hosts/<host>/nginx*.conf   nginx; include nginx-shared.conf once before them
hosts/<host>/Caddyfile     Caddy; the Caddyfile in this folder imports them all
hosts/<host>/_redirects    Netlify and Cloudflare Pages
hosts/<host>/links.json    everything else
differences.csv            links that are more than a redirect
`

export type Published = { hosts: number; links: number; published: number; differences: number }

type PublishOptions = {
  db: Db
  clock: Clock
  baseUrl: string
  ownHosts: readonly string[]
  /** Called with the share and the number of links that have been written. */
  onProgress?: (share: number, links: number) => void
}

/**
 * Writes all plain redirects from one snapshot to the folder at `path`, in the formats of several
 * web servers, and lists all other links. Replaces an earlier result atomically.
 *
 * @throws Error if something else is at `path`, or if it cannot be written
 */
export function publish(path: string, options: PublishOptions): Promise<Published> {
  return replaceFolder(path, (folder) =>
    inTransaction(options.db, (tx) => writeSites(folder, tx, options), SNAPSHOT),
  )
}

async function writeSites(
  folder: string,
  tx: Tx,
  { clock, onProgress = () => {}, ...service }: PublishOptions,
): Promise<Published> {
  const blocked = createHostMatcher(await readBlockedHosts(tx))
  const sites = await readSites(tx, service, blocked)
  const total = await countLinks(tx)
  const differences = createTextFile(join(folder, 'differences.csv'))
  const now = clock()
  const counts = { hosts: sites.length, links: 0, published: 0, differences: 0 }
  await differences.write(formatCsvHeader(['Short URL', 'Published', 'Differences']))
  const links = readLinks(tx)
  let next = await links.next()
  for (const site of sites) {
    const writers = await startSite(folder, site)
    for (; !next.done && next.value.siteId === site.id; next = await links.next()) {
      const link = next.value
      const publication = toPublication(link, now, blocked)
      counts.links += 1
      onProgress(counts.links / total, counts.links)
      if (publication.destination) {
        counts.published += 1
        for (const writer of writers) await writer.add(link.alias, publication.destination)
      }
      if (publication.differences.length === 0) continue
      counts.differences += 1
      await differences.write(
        formatCsvRow([
          shortUrlOf(site.origin, link.alias),
          publication.destination ? 'yes' : 'no',
          publication.differences.join(', '),
        ]),
      )
    }
    for (const writer of writers) await writer.end()
  }
  await differences.end()
  await writeFile(
    join(folder, 'nginx-shared.conf'),
    renderShared({ sites: sites.length, links: total }),
  )
  await writeFile(join(folder, 'Caddyfile'), 'import hosts/*/Caddyfile\n')
  await writeFile(join(folder, 'README.txt'), README)
  return counts
}

async function startSite(folder: string, site: Site) {
  const siteFolder = join(folder, 'hosts', toFolderName(site))
  await mkdir(siteFolder, { recursive: true })
  return Promise.all(FORMATS.map((start) => start(siteFolder, site)))
}

/** Returns the service's own host, followed by the branded domains in the order of `readLinks`. */
async function readSites(
  tx: Tx,
  { baseUrl, ownHosts }: Pick<PublishOptions, 'baseUrl' | 'ownHosts'>,
  blocked: ReturnType<typeof createHostMatcher>,
): Promise<Site[]> {
  const { protocol, port } = new URL(baseUrl)
  const otherOrigins = ownHosts.map((name) => `${protocol}//${name}${port && `:${port}`}`)
  const toDestination = (url: string | null) =>
    url === null || blocked.blocksDestination(url) ? undefined : toPublishableUrl(url)
  const domains = await readDomains(tx)
  return [
    {
      id: 0,
      origin: baseUrl,
      origins: [...new Set([baseUrl, ...otherOrigins])],
      root: undefined,
      notFound: undefined,
    },
    ...domains.map(({ id, origin, root, notFound }) => ({
      id,
      origin,
      origins: [origin],
      root: toDestination(root),
      notFound: toDestination(notFound),
    })),
  ]
}
