import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { parseTargetUrl } from '../../src/target-url.ts'
import { runCommand } from '../support/command.ts'
import { freePort } from '../support/free-port.ts'
import { headAll } from '../support/head-requests.ts'
import { hostileAliases, hostileUrl } from '../support/hostile-links.ts'
import { hasServer, startCaddyOn, startNginx } from '../support/published.ts'
import { appTest } from '../support/test.ts'

const LINKS = 100_000
/** Aliases with different case, which belong to no link. */
const UNKNOWN = 2000
const TIMEOUT_MS = 300_000

const port = await freePort()
const HOSTS = [`brev.test:${port}`, `go.example:${port}`]
const env = { BASE_URL: `http://brev.test:${port}` }

const test = appTest({ env })
  .extend('prefix', { scope: 'file' }, () => join(tmpdir(), 'brevis-publish-'))
  .extend('folder', { scope: 'file' }, async ({ prefix }, { onCleanup }) => {
    const folder = await mkdtemp(prefix)
    onCleanup(() => rm(folder, { recursive: true, force: true }))
    return folder
  })
  // Brevis's responses to a visit of each link, by host.
  .extend('visits', { scope: 'file' }, async ({ app, make, owner }) => {
    const domain = await make.domain(owner, {
      domain: `http://${HOSTS[1]}`,
      redirectRoot: 'https://example.com/root?a={$HOME}',
      redirect404: 'https://example.com/?gone=$uri;}\\',
    })
    const aliases = hostileAliases(LINKS)
    const urls = aliases.map((_, index) => parseTargetUrl('url', hostileUrl(index)).href)
    await app.services.database.pool.query(
      `insert into links (account_id, domain_id, alias, url)
       select $1, case when n % 10 = 0 then $2::bigint end, alias, url
       from unnest($3::text[], $4::text[]) with ordinality as given (alias, url, n)`,
      [owner.account.id, domain.id, aliases, urls],
    )
    const known = new Set(aliases)
    const unknown = aliases
      .map(swapCase)
      .filter((alias) => !known.has(alias))
      .slice(0, UNKNOWN)
    await app.listen()
    return Promise.all(
      HOSTS.map(async (host, hostIndex) => {
        const domainAliases = aliases.filter(
          (_, index) => Number((index + 1) % 10 === 0) === hostIndex,
        )
        const paths = [...domainAliases, ...unknown, 'nothing-here', 'a/b', '+'].map(
          (alias, index) => `/${encodeURIComponent(alias)}${index % 9 === 0 ? '?a=1&b' : ''}`,
        )
        if (domain.host === host) paths.unshift('/')
        return {
          host,
          paths,
          links: domainAliases.length,
          replies: await headAll(app.port(), host, paths),
        }
      }),
    )
  })
  .extend('published', { scope: 'file' }, async ({ app, folder, visits: _ }) => {
    const path = join(folder, 'links')
    const settings = { ...env, DATABASE_URL: app.databaseUrl }
    const { stdout, stderr } = await runCommand(['publish', path, '--json'], { env: settings })
    expect(stderr).toBe('')
    return { path, answer: JSON.parse(stdout) }
  })

const servers = [
  { name: 'nginx', isHere: hasServer('nginx'), start: startNginx },
  { name: 'caddy', isHere: hasServer('caddy'), start: startCaddyOn },
]

test.skipIf(!servers.some(({ isHere }) => isHere))(
  'Brevis redirects and publishes all links',
  { timeout: TIMEOUT_MS },
  async ({ visits, published }) => {
    expect(published.answer).toEqual({
      ...{ folder: published.path, hosts: 2, links: LINKS, published: LINKS, differences: 0 },
    })
    const [service, domain] = visits
    const statuses = (replies: readonly { status: number }[]) => [
      ...new Set(replies.map(({ status }) => status)),
    ]
    expect(statuses(service?.replies.slice(0, service.links) ?? [])).toEqual([302])
    expect(statuses(service?.replies.slice(service.links) ?? [])).toEqual([404])
    // The domain redirects visitors of unknown aliases.
    expect(statuses(domain?.replies ?? [])).toEqual([302])
  },
)

for (const { name, isHere, start } of servers) {
  test.skipIf(!isHere)(
    `${name} redirects every published link as Brevis does`,
    { timeout: TIMEOUT_MS },
    async ({ folder, visits, published }) => {
      const server = await start(folder, published.path, port)
      try {
        for (const { host, paths, replies } of visits) {
          const serverReplies = await headAll(port, host, paths)
          const wrong = paths.flatMap((path, index) => {
            const [expected, actual] = [replies[index], serverReplies[index]]
            const isEqual =
              actual?.status === expected?.status && actual?.location === expected?.location
            return isEqual ? [] : [{ path, expected, actual }]
          })
          expect(wrong.slice(0, 5)).toEqual([])
        }
      } finally {
        await server.stop()
      }
    },
  )
}

function swapCase(alias: string): string {
  return alias.replaceAll(/[a-z]/gi, (letter) =>
    letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
  )
}
