import { gzipSync } from 'node:zlib'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type BenchOptions, type Figure, median } from '../figures.ts'
import { CLICKS, fillDays } from '../fill-days.ts'
import { createLinks, createSession, readAccountId } from '../make.ts'

/**
 * Measures console pages and API calls for an account with a million links, one of them with ten
 * million clicks.
 */
export async function console({ log, quick }: BenchOptions): Promise<Figure[]> {
  const [links, requestCount] = quick ? [50_000, 5] : [1_000_000, 40]
  await using brevis = await startBrevis()
  const { pool } = brevis.database
  await createLinks(
    pool,
    { prefix: 'bench', count: links, clicks: '(random() ^ 8 * 100000)::int' },
    log,
  )
  const { rows } = await pool.query<{ id: number }>('select min(id) as id from links')
  const id = rows[0]?.id ?? 0
  const account = await readAccountId(pool)
  log(`storing ${CLICKS} clicks for one link, and as many for all ${links} links together`)
  await fillDays(pool, { link: id, account, links, clickedDaysPerLink: 2 })
  await pool.query('vacuum analyze')
  const cookie = await createSession(pool, account)
  // A search uses parallel database workers, so it needs both cores.
  brevis.useAllCores()

  const page = { headers: { cookie }, goal: 50 }
  const call = { headers: { authorization: `Bearer ${brevis.key}` } }
  const figures: Figure[] = []
  for (const [name, path, request] of [
    ['overview', '/console', page],
    ['links, newest', '/console/links', page],
    ['links, page 2', '/console/links?page=2', page],
    ['links, oldest', '/console/links?sort=oldest', page],
    ['links, by alias', '/console/links?sort=alias', page],
    ['links, most clicked', '/console/links?sort=clicks', page],
    ['links, least clicked', '/console/links?sort=least-clicked', page],
    ['links, expired', '/console/links?status=expired', page],
    ['links, without clicks', '/console/links?clicks=none', page],
    ['links, middle page', `/console/links?page=${Math.round(links / 50)}`, page],
    ['links, search', '/console/links?q=articles%2F4711%2F', { ...page, goal: 600 }],
    ['links, search, no matches', '/console/links?q=no-such-text', { ...page, goal: 600 }],
    ['links, search, all links', '/console/links?q=page', page],
    ['links, search, 4% of links', '/console/links?q=47', { ...page, goal: 600 }],
    ['links, search and filter', '/console/links?q=4711&clicks=none', { ...page, goal: 600 }],
    ['links, without clicks, by clicks', '/console/links?clicks=none&sort=clicks', page],
    [
      'links, without clicks, active',
      '/console/links?clicks=none&status=active',
      { ...page, goal: 300 },
    ],
    [
      'links, without clicks, page 1000',
      '/console/links?clicks=none&page=1000',
      { ...page, goal: 300 },
    ],
    [
      'links, by clicks, middle page',
      `/console/links?sort=clicks&page=${Math.round(links / 50)}`,
      page,
    ],
    [
      'links, by alias, middle page',
      `/console/links?sort=alias&page=${Math.round(links / 50)}`,
      page,
    ],
    ['a link, 30 days', `/console/links/${id}`, page],
    ['a link, 12 months', `/console/links/${id}?period=12m`, page],
    ['a link, all referrers', `/console/links/${id}/referrers`, page],
    ['analytics, 30 days', '/console/analytics', page],
    ['a new link', '/console/links/new', page],
    ['the editor of a link', `/console/links/${id}/edit`, page],
    ['keys', '/console/keys', page],
    ['account', '/console/account', page],
    ['sign-in form', '/console/sign-in', { headers: {}, goal: 50 }],
    ['GET /api/urls', '/api/urls', call],
    ['GET /api/url/{id}', `/api/url/${id}`, call],
    ['POST /api/url/add', '/api/url/add', { ...call, body: { url: 'https://example.com/' } }],
  ] as const) {
    const result = await measure(brevis, path, request, requestCount)
    log(`${name}: ${result.milliseconds.toFixed(1)} ms`)
    figures.push(
      {
        name,
        value: result.milliseconds,
        unit: 'ms',
        ...('goal' in request && { goal: { atMost: request.goal } }),
      },
      { name: `${name}: CPU time, Node.js`, value: result.worker, unit: 'ms' },
      { name: `${name}: CPU time, PostgreSQL`, value: result.database, unit: 'ms' },
      { name: `${name}: compressed response`, value: result.bytes / 1000, unit: 'kB' },
    )
  }
  return figures
}

type Request = { headers: Readonly<Record<string, string>>; body?: object; goal?: number }

/** Returns the median duration of a request, its mean CPU time, and the size of the reply. */
async function measure(
  brevis: Brevis,
  path: string,
  { headers, body }: Request,
  requestCount: number,
): Promise<{ milliseconds: number; worker: number; database: number; bytes: number }> {
  const send = async () => {
    const started = performance.now()
    const response = await fetch(brevis.url + path, {
      redirect: 'manual',
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (response.status !== 200)
      throw new Error(`${path} returned ${response.status} ${text.slice(0, 200)}`)
    return { milliseconds: performance.now() - started, text }
  }
  // Warm-up.
  for (let attempt = 0; attempt < 5; attempt += 1) await send()
  const before = brevis.readCpu()
  const durations: number[] = []
  for (let attempt = 0; attempt < requestCount; attempt += 1)
    durations.push((await send()).milliseconds)
  const after = brevis.readCpu()
  return {
    milliseconds: median(durations),
    worker: ((after.worker - before.worker) * 1000) / requestCount,
    database: ((after.database - before.database) * 1000) / requestCount,
    bytes: gzipSync((await send()).text).length,
  }
}
