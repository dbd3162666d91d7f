import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { expect } from 'vitest'
import { createLinkChecker } from '../../src/links/check/check-links.ts'
import { createGuardedFetch } from '../../src/net/guarded-fetch.ts'
import { createNameLookup } from '../../src/net/name-lookup.ts'
import { readApiPages } from '../../src/transfer/api-pages.ts'
import { startNameServer } from '../fixtures/name-server.ts'
import { signIn } from '../support/console.ts'
import { startServer } from '../support/http-server.ts'
import { appTest } from '../support/test.ts'
import { startWorker } from '../support/webhooks.ts'
import { subscribe } from '../support/webhooks-test.ts'

// 127.0.0.2 stands for a public address, and 127.0.0.1 for a service of this machine. Each name leads to
// the first one in its first reply, and to the second one from then on.
const ALLOWED = '127.0.0.2/32'
const seen = new Set<string>()
const names = await startNameServer((type, name) => {
  if (type !== 1) return []
  const isFirst = !seen.has(name)
  seen.add(name)
  return isFirst ? [127, 0, 0, 2] : [127, 0, 0, 1]
})
const lookup = createNameLookup({ servers: [names.address] })

const test = appTest({ lookup, env: { OUTBOUND_ALLOW: ALLOWED, LINK_CHECK: 'daily' } }).extend(
  'site',
  { scope: 'file' },
  async ({ app: _ }, { onCleanup }) => {
    let insideConnections = 0
    const inside = await startServer((_request, response) => {
      insideConnections += 1
      response.end('<title>Secret</title>')
    })
    let respond: RequestListener = (_request, response) => response.end()
    const requests: string[] = []
    const outside = createServer((request, response) => {
      requests.push(`${request.method} ${request.url}`)
      respond(request, response)
    }).listen(inside.port, '127.0.0.2')
    await once(outside, 'listening')
    onCleanup(async () => {
      names.close()
      await inside.close()
      outside.closeAllConnections()
      outside.close()
      await once(outside, 'close')
    })
    return {
      /** Returns a URL with a name that nobody has looked up, whose server responds like this. */
      serve(name: string, listener: RequestListener): string {
        respond = listener
        requests.splice(0)
        return `http://${name}.rebind.test:${inside.port}/`
      },
      requests,
      insideConnections: () => insideConnections,
      lookups: (name: string) =>
        names.requests.filter((each) => each === `${name}.rebind.test 1`).length,
    }
  },
)

const redirect: RequestListener = (_request, response) =>
  response.writeHead(302, { location: '/again' }).end()

test('the title of a page follows no redirect to a rebound name', async ({ app, owner, site }) => {
  const url = site.serve('title', redirect)
  const person = await signIn(app, owner.account.email)
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const reply = await person.send('/console/links/title', { url })
    expect(reply.body).not.toContain('Secret')
  }
  expect(site.requests).toEqual(['GET /'])
  expect(site.lookups('title')).toBe(3)
  expect(site.insideConnections()).toBe(0)
})

test('neither does the logo of a code', async ({ owner, request, site }) => {
  const logo = site.serve('logo', redirect)
  const reply = await request({
    method: 'POST',
    url: '/api/qr/add',
    headers: owner.headers,
    payload: { type: 'text', data: 'x', logo },
  })
  expect(reply.statusCode).toBe(400)
  expect(site.requests).toEqual(['GET /'])
  expect(site.insideConnections()).toBe(0)
})

test('a webhook is not sent to a rebound name', async ({ app, site, onTestFinished }) => {
  const worker = startWorker(app, { lookup })
  onTestFinished(worker.close)
  const url = site.serve('hook', (_request, response) => response.end())
  const { person, page, path } = await subscribe(app, url, ['link.created'])
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await person.send(`${page}/test`)
    await worker.drain()
  }
  expect(site.requests).toEqual([`POST ${path}`])
  expect((await person.open(page)).body).toContain('could not be reached at a public address')
  expect(site.insideConnections()).toBe(0)
})

test('the link check sends no second request to a rebound name', async ({ app, make, site }) => {
  const url = site.serve('check', (_request, response) => response.writeHead(405).end())
  const { id } = await make.link(await make.owner(), { url })
  const { db, database } = app.services
  await database.pool.query(`update links set created_at = now() - interval '2 days'`)
  const checker = createLinkChecker(app.services, db, { hostEveryMs: 0, timeoutMs: 3000 })
  await checker.checkSlice(0, new AbortController().signal)
  await checker.close()
  const { rows } = await database.pool.query('select problem from link_checks where link_id = $1', [
    id,
  ])
  expect(rows).toEqual([{ problem: 'unreachable' }])
  expect(site.requests).toEqual(['HEAD /'])
  expect(site.insideConnections()).toBe(0)
})

test.for(['bitly', 'kutt', 'shlink', 'yourls'] as const)(
  'an import from %s reads no second page from a rebound name',
  async (source, { site, onTestFinished }) => {
    const from = new URL(
      site.serve(source, (_request, response) =>
        // Several groups, pages and links for every service.
        response.end(
          JSON.stringify({
            groups: [{ guid: 'g' }],
            total: 500,
            data: Array.from({ length: 50 }, (_, n) => ({
              address: `a${n}`,
              target: 'https://x.example/',
            })),
            shortUrls: { data: [], pagination: { pagesCount: 9, currentPage: 1 } },
            links: { link_1: { shorturl: 'http://x.example/a', url: 'https://x.example/' } },
            stats: { total_links: 500 },
          }),
        ),
      ),
    ).origin
    const outbound = createGuardedFetch({ allow: [ALLOWED], lookup })
    onTestFinished(outbound.close)
    const signal = AbortSignal.timeout(1500)
    const api = { source, from, token: 'key' }
    const resumed = { page: null, rows: 0 } as never
    for (let run = 0; run < 2; run += 1) {
      const pages = readApiPages(api, 1, resumed, { outbound, signal })
      await Array.fromAsync(pages).catch(() => {})
    }
    expect(site.requests).toHaveLength(1)
    expect(site.lookups(source)).toBeGreaterThan(1)
    expect(site.insideConnections()).toBe(0)
  },
)
