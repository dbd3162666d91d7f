import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Brevis, startBrevis } from '../brevis.ts'
import type { BenchOptions, Figure } from '../figures.ts'
import { fillDays } from '../fill-days.ts'
import { fillRawClicks } from '../fill-raw-clicks.ts'
import { createLinks, createSession, readAccountId } from '../make.ts'
import { measureRedirects } from './exporting.ts'

const KIB = 1024

/** A page whose parts all look like tags that must be read. */
const HOSTILE_PAGE = `<head>${'<meta x><a></b>'.repeat(512 * KIB)}`.slice(0, 512 * KIB)
const RULES = 50
const FILTER = 'device=mobile&device=tablet&limit=1000'
const FILTERED_DAYS = 30
const LONG_PATH = 'x'.repeat(4000)

/**
 * Measures the longest time for which one account blocks a worker, for each heavy operation. During
 * each, the CPU time that the worker uses during one redirect is an upper bound.
 */
export async function ticks({ log, quick }: BenchOptions): Promise<Figure[]> {
  // A bulk action changes at most 100,000 links, and batches add some.
  const [links, rounds, rawClicks] = quick ? [20_000, 3, 50_000] : [95_000, 10, 500_000]
  await using brevis = await startBrevis({ OUTBOUND_ALLOW: '127.0.0.0/8' })
  const { pool } = brevis.database
  await createLinks(pool, { prefix: 'bench', count: links, clicks: '(random() * 1000)::int' })
  const { rows } = await pool.query<{ id: number }>('select id from links order by id limit 2')
  const [first = 0, second = 0] = rows.map(({ id }) => id)
  const account = await readAccountId(pool)
  await fillDays(pool, { link: first, account, links, clickedDaysPerLink: 2 })
  await fillRawClicks(pool, { account, links: [first], clicks: rawClicks, days: FILTERED_DAYS })
  const caller = createCaller(brevis, await createSession(pool, account))
  for (let count = 0; count < 8; count += 1) await caller.update(second, count)
  for (let count = 0; count < 10; count += 1) await caller.addBatch()
  await using site = await startHostileSite()
  brevis.useAllCores()

  const operations: [name: string, work: () => Promise<unknown>][] = [
    ['title of a page', () => caller.post('/console/links/title', { url: site.url })],
    ['a change of 50 long rules', () => caller.update(second, Math.random())],
    ['versions', () => caller.get(`/api/url/${second}/versions?limit=1000`)],
    ['history page', () => caller.get(`/console/links/${second}/history`)],
    ['export, JSONL', () => caller.get('/console/export?format=jsonl')],
    ['export, CSV', () => caller.get('/console/export?format=csv')],
    ['statistics of a link', () => caller.get(`/api/url/${first}/stats?limit=1000`)],
    ['statistics of the account', () => caller.get('/api/stats?limit=1000')],
    ['filtered statistics of a link', () => caller.get(`/api/url/${first}/stats?${FILTER}`)],
    ['filtered statistics of the account', () => caller.get(`/api/stats?${FILTER}`)],
    ['analytics page', () => caller.get('/console/analytics')],
    ['search', () => caller.get('/api/urls?q=no-such-text&limit=1000')],
    ['list of 1000 links', () => caller.get('/api/urls?limit=1000')],
    ['list of 1000 links with long texts', () => caller.get('/api/urls?limit=1000&q=xxxxxxxx')],
    ['batch of 100 links', () => caller.addBatch()],
    ['tag all links', () => caller.change({ action: 'tag', tag: 'all' })],
    ['untag all links', () => caller.change({ action: 'untag', tag: 'all' })],
    // Disabling would end the redirects that are measured.
    ['let all links expire', () => caller.change({ action: 'expire', expires: '2999-12-31' })],
    ['XML of all links', () => caller.get(`/api/v1/${brevis.key}/shorturl/list_active_urls.xml`)],
  ]
  const figures: Figure[] = []
  for (const [name, work] of operations) {
    await work()
    const { maxCpuMs, worstMs } = await measureRedirects(brevis, repeat(work, rounds))
    log(
      `${name}: ${maxCpuMs.toFixed(1)} ms of CPU time, redirects at most ${worstMs.toFixed(1)} ms`,
    )
    figures.push({ name, value: maxCpuMs, unit: 'ms', goal: { atMost: 50 } })
  }
  return figures
}

async function repeat(work: () => Promise<unknown>, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) await work()
}

/** Returns functions that send requests of one account, and read replies completely. */
function createCaller({ url, key }: Brevis, cookie: string) {
  const headers = { authorization: `Bearer ${key}`, cookie, 'sec-fetch-site': 'same-origin' }

  async function send(path: string, options: RequestInit = {}): Promise<void> {
    const reply = await fetch(url + path, {
      ...options,
      headers: { ...headers, ...options.headers },
    })
    for await (const _chunk of reply.body ?? []) {
      // Discards the reply, so that this process does not become the bottleneck.
    }
    if (reply.status >= 400) throw new Error(`${path} returned ${reply.status}`)
  }

  const json = (method: string, path: string, body: object) =>
    send(path, {
      method,
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    })

  async function post(path: string, fields: Record<string, string>): Promise<void> {
    const page = await (await fetch(`${url}/console/links/new`, { headers })).text()
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page) ?? []
    await send(path, { method: 'POST', body: new URLSearchParams({ csrf, ...fields }) })
  }

  return {
    get: (path: string) => send(path),
    /** Submits a form of the console. */
    post,
    /** Changes all links. */
    change: (fields: Record<string, string>) =>
      post('/console/links/change', { all: 'yes', back: '/console/links', ...fields }),
    update(id: number, seed: number): Promise<void> {
      const rules = Array.from({ length: RULES }, (_, index) => ({
        when: { query: { name: `${index}` } },
        to: `https://example.com/${seed}/${index}/${LONG_PATH}`,
      }))
      return json('PUT', `/api/url/${id}/update`, { url: 'https://example.com/', rules })
    },
    addBatch: () =>
      json('POST', '/api/urls/add', {
        urls: Array.from({ length: 100 }, () => ({
          url: `https://example.com/${LONG_PATH.slice(2000)}`,
        })),
      }),
  }
}

async function startHostileSite() {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html')
    response.end(HOSTILE_PAGE)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
