import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readBlockedHosts } from '../blocked-hosts/blocked-host.queries.ts'
import { createHostMatcher, type HostMatcher } from '../blocked-hosts/blocked-host.ts'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, SNAPSHOT, type Tx } from '../db/transaction.ts'
import { replaceFolder } from '../files/replace.ts'
import { formatCsvHeader, formatCsvRow } from '../transfer/write/csv.ts'
import { normalizeAlias } from '../urls/alias.ts'
import { toFollowableHref } from '../urls/destination-url.ts'
import { shortUrlOf, toAliasPath } from '../urls/short-url.ts'
import { startCaddySite } from './caddy.ts'
import { renderShared, startNginxSite } from './nginx.ts'
import { countLinks, readDomains, readLinks, type StoredLink } from './publish.queries.ts'
import { createTextFile, type Site, type SiteWriter, type StartSite, toFolderName } from './site.ts'

/**
 * How a link is published: its redirect, if it has one, and how the link differs from a plain
 * redirect.
 */
type Publication = { destination: string | undefined; differences: readonly string[] }

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

/**
 * Starts the `_redirects` file of a site for Netlify and Cloudflare Pages. It has one line per
 * link, with an encoded path.
 */
async function startRedirectsSite(folder: string, { root, notFound }: Site): Promise<SiteWriter> {
  const file = createTextFile(join(folder, '_redirects'))
  if (root) await file.write(`/ ${root} 302\n`)
  return {
    add: (alias, destination) => file.write(`${toAliasPath(alias)} ${destination} 302\n`),
    end: () => file.end(notFound && !notFound.includes(':splat') ? `/* ${notFound} 302\n` : ''),
  }
}

/** Starts `links.json` of a site: one JSON object with a line per link. */
async function startJsonSite(
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

/**
 * Returns the destination of a link that redirects every visitor in the same way. For any other
 * link, returns the reasons why it does not. A link with custom preview texts counts as a redirect,
 * because only chats and feeds notice the difference.
 */
function toPublication(link: StoredLink, now: Date, blocked: HostMatcher): Publication {
  const destination = toPublishableUrl(link.url)
  const reasons = [
    link.suspended && 'account suspended',
    link.disabled && 'disabled',
    link.startsAt && link.startsAt > now && 'starts later',
    link.endsAt && (link.endsAt <= now ? 'expired' : 'expires'),
    link.maxClicks && 'click limit',
    link.confirm && 'confirmation',
    blocked.blocksDestination(link.url) && 'blocked host',
    !destination && 'invalid destination',
    normalizeAlias(link.alias) !== link.alias && 'invalid alias',
    link.password && 'password',
    link.rules && 'targeting',
    link.split && 'split',
    link.parameters && 'parameters',
    link.forwards && 'forwarding',
    link.redirect === 'frame' && 'frame',
    link.redirect === 'splash' && 'splash page',
    link.redirect === 'overlay' && link.overlay && 'overlay',
    link.pixels && 'pixels',
  ].filter((reason): reason is string => Boolean(reason))
  if (reasons.length > 0) return { destination: undefined, differences: reasons }
  return { destination, differences: link.preview ? ['own preview'] : [] }
}

/**
 * Returns the URL to redirect to, or undefined if it must not be written to a configuration file.
 * Parsed URLs contain neither spaces nor quotation marks, and the formats rely on this.
 */
function toPublishableUrl(url: string): string | undefined {
  const href = toFollowableHref(url)
  return href !== undefined && /^[!#-~]+$/.test(href) ? href : undefined
}
