import { gzipSync } from 'node:zlib'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type Bench, type Figure, median } from '../figures.ts'
import { CLICKS, fillDays } from '../fill-days.ts'
import { accountId, beginSession, makeLinks } from '../make.ts'

/**
 * Measures console pages and API calls for an account with a million links and a link with ten
 * million clicks.
 */
export async function console({ log, quick }: Bench): Promise<Figure[]> {
  const [links, times] = quick ? [50_000, 5] : [1_000_000, 40]
  await using brevis = await startBrevis()
  const { pool } = brevis.database
  await makeLinks(
    pool,
    { prefix: 'bench', count: links, clicks: '(random() ^ 8 * 100000)::int' },
    log,
  )
  const { rows } = await pool.query<{ id: number }>('select min(id) as id from links')
  const id = rows[0]?.id ?? 0
  const account = await accountId(pool)
  log(`storing ${CLICKS} clicks of one link and of ${links} links`)
  await fillDays(pool, { link: id, account, links, clickedDaysPerLink: 2 })
  await pool.query('vacuum analyze')
  const cookie = await beginSession(pool, account)
  // A search uses parallel database workers, so it needs both cores.
  brevis.useBothCores()

  const page = { headers: { cookie }, goal: 50 }
  const call = { headers: { authorization: `Bearer ${brevis.key}` } }
  const figures: Figure[] = []
  for (const [name, path, request] of [
    ['overview', '/console', page],
    ['links, newest', '/console/links', page],
    ['links, most clicked', '/console/links?sort=clicks', page],
    ['links, a page in the middle', `/console/links?page=${Math.round(links / 50)}`, page],
    ['links, a search', '/console/links?q=articles%2F4711%2F', { ...page, goal: 300 }],
    ['a link, 30 days', `/console/links/${id}`, page],
    ['a link, 12 months', `/console/links/${id}?period=12m`, page],
    ['a link, all its referrers', `/console/links/${id}/referrers`, page],
    ['a new link', '/console/links/new', page],
    ['keys', '/console/keys', page],
    ['account', '/console/account', page],
    ['sign-in form', '/console/sign-in', { headers: {}, goal: 50 }],
    ['GET /api/urls', '/api/urls', call],
    ['GET /api/url/{id}', `/api/url/${id}`, call],
    ['POST /api/url/add', '/api/url/add', { ...call, body: { url: 'https://example.com/' } }],
  ] as const) {
    const measured = await measure(brevis, path, request, times)
    log(`${name}: ${measured.milliseconds.toFixed(1)} ms`)
    figures.push(
      {
        name,
        value: measured.milliseconds,
        unit: 'ms',
        ...('goal' in request && { goal: { atMost: request.goal } }),
      },
      { name: `${name}: processor, Node.js`, value: measured.worker, unit: 'ms' },
      { name: `${name}: processor, PostgreSQL`, value: measured.database, unit: 'ms' },
      { name: `${name}: compressed response`, value: measured.bytes / 1000, unit: 'kB' },
    )
  }
  return figures
}

type Request = { headers: Readonly<Record<string, string>>; body?: object; goal?: number }

/** Returns the median duration of a request, and its average processor time. */
async function measure(
  brevis: Brevis,
  path: string,
  { headers, body }: Request,
  times: number,
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
    return { taken: performance.now() - started, text }
  }
  // Warm-up of the connection and the compiler.
  for (let time = 0; time < 5; time += 1) await send()
  const before = brevis.cpu()
  const taken: number[] = []
  for (let time = 0; time < times; time += 1) taken.push((await send()).taken)
  const after = brevis.cpu()
  return {
    milliseconds: median(taken),
    worker: ((after.worker - before.worker) * 1000) / times,
    database: ((after.database - before.database) * 1000) / times,
    bytes: gzipSync((await send()).text).length,
  }
}
