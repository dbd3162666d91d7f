import { describe, expect, onTestFinished } from 'vitest'
import { commandLine, runCommand } from '../support/command.ts'
import { type MockReply, type MockRequest, openMockApi } from '../support/mock-api.ts'
import { appTest } from '../support/test.ts'

const KEY = 'the-key-of-the-source'
const target = 'https://example.com/x'

const test = appTest().extend('importer', async ({ app, make, request }) => {
  const owner = await make.owner()

  return {
    /** Imports from a mock API with these replies. */
    async importFrom(source: string, respond: (request: MockRequest) => MockReply, key = KEY) {
      const site = await openMockApi(respond)
      onTestFinished(site.close)
      const env = {
        ...commandLine(app).settings(),
        OUTBOUND_ALLOW: '127.0.0.0/8',
        IMPORT_TOKEN: key,
      }
      const command = ['import', site.origin, '--from', source, '--account', owner.account.email]
      return {
        requests: site.requests,
        async run(...args: string[]) {
          const { code, stdout, stderr } = await runCommand([...command, ...args, '--json'], {
            env,
          })
          expect(stdout + stderr).not.toContain(KEY)
          return code === 0 ? JSON.parse(stdout) : stderr
        },
      }
    },
    async listUrls() {
      const reply = await request({ url: '/api/urls?limit=1000', headers: owner.headers })
      return reply.json().data.urls
    },
    headers: owner.headers,
    check: () => commandLine(app).brevis(['stats', 'check']),
  }
})

const range = (from: number, to: number) =>
  Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)

describe('an import from', () => {
  test('Kutt reads page by page and resumes after a rate limit', async ({ importer }) => {
    let requests = 0
    const source = await importer.importFrom('kutt', ({ path, query, headers }) => {
      requests += 1
      if (headers['x-api-key'] !== KEY || path !== '/api/v2/links') return { status: 401 }
      if (requests === 2) return { status: 429, headers: { 'retry-after': '0' } }
      const skip = Number(query.get('skip'))
      const data = range(skip, Math.min(skip + 50, 120)).map((n) => ({
        id: `uuid-${n}`,
        address: `kutt${n}`,
        target,
        visit_count: n,
        domain: null,
        created_at: '2025-03-04T05:06:07.000Z',
        password: n === 3,
        banned: n === 4,
        ...(n === 5 && { target: 'javascript:alert(1)' }),
        ...(n === 6 && { target: 7 }),
      }))
      return { limit: 50, skip, total: 120, data }
    })
    const result = await source.run()
    // All clicks, 0 + 1 + … + 119, without those of the rejected links: 3 + 5 + 6.
    expect(result).toMatchObject({ rows: 120, created: 117, refused: 3, clicks: 119 * 60 - 14 })
    expect(result.problems.map(({ row }: { row: number }) => row)).toEqual([4, 6, 7])
    const [newest] = await importer.listUrls()
    expect(newest).toMatchObject({ alias: 'kutt119', clicks: 119, date: '2025-03-04 05:06:07' })
    expect(await source.run()).toMatchObject({ rows: 120, created: 0, present: 117, refused: 3 })
    expect(await importer.check()).toContain('agree')
  })

  test('YOURLS reads links through the statistics action', async ({ importer }) => {
    const source = await importer.importFrom('yourls', ({ path, query }) => {
      if (path !== '/yourls-api.php' || query.get('signature') !== KEY) return { status: 403 }
      const start = Number(query.get('start'))
      const numbers = range(start, Math.min(start + Number(query.get('limit')), 600))
      const links = numbers.map((n) => [
        `link_${n + 1}`,
        {
          shorturl: `http://sho.rt/yo${n}`,
          url: target,
          title: 'T',
          ip: '203.0.113.9',
          timestamp: '2024-01-02 03:04:05',
          clicks: String(n % 2),
        },
      ])
      return { links: links.length ? Object.fromEntries(links) : [], statusCode: 200 }
    })
    expect(await source.run()).toMatchObject({ rows: 600, created: 600, clicks: 300, refused: 0 })
    expect((await importer.listUrls())[0]).toMatchObject({ alias: 'yo599', clicks: 1, title: 'T' })
    expect(await importer.check()).toContain('agree')
  })

  test('Bitly reads group by group and resumes at the interrupted page', async ({ importer }) => {
    let isDown = true
    const source = await importer.importFrom('bitly', ({ path, query, headers }) => {
      if (headers.authorization !== `Bearer ${KEY}`) return { status: 403 }
      if (path === '/v4/groups') return { groups: [{ guid: 'G1' }, { guid: 'G2' }] }
      const after = query.get('search_after') ?? ''
      const name = `${path.includes('G1') ? 'one' : 'two'}${after}`
      if (name === 'onenext' && isDown) return { status: 429, headers: { 'retry-after': '3600' } }
      const link = { link: `https://bit.ly/${name}`, long_url: target, tags: ['t'], title: 'a' }
      const { long_url, ...broken } = link
      const links = [{ ...link, custom_bitlinks: [`brand.example/c-${name}`] }, broken]
      return { links, pagination: { search_after: after === '' ? 'next' : '' } }
    })
    expect(await source.run()).toMatch(/status 429\. Run the import again later/)
    isDown = false
    const before = source.requests.length
    expect(await source.run()).toMatchObject({ rows: 8, created: 8, refused: 4 })
    expect(source.requests.slice(before)[1]).toContain('search_after=next')
    const aliases = (await importer.listUrls()).map(({ alias }: { alias: string }) => alias)
    const names = ['twonext', 'two', 'onenext', 'one'].flatMap((name) => [name, `c-${name}`])
    expect(aliases).toEqual(names)
  })

  test('Bitly starts at the first page after an interrupted dry run', async ({ importer }) => {
    let isDown = true
    const source = await importer.importFrom('bitly', ({ path, query }) => {
      if (path === '/v4/groups') return { groups: [{ guid: 'G' }] }
      const after = query.get('search_after') ?? ''
      if (after !== '' && isDown) return { status: 429, headers: { 'retry-after': '3600' } }
      const link = { link: `https://bit.ly/dry${after}`, long_url: target }
      return { links: [link], pagination: { search_after: after === '' ? 'next' : '' } }
    })
    expect(await source.run('--dry-run')).toMatch(/status 429/)
    expect(await importer.listUrls()).toEqual([])
    isDown = false
    expect(await source.run()).toMatchObject({ rows: 2, created: 2 })
    const aliases = (await importer.listUrls()).map(({ alias }: { alias: string }) => alias)
    expect(aliases).toEqual(['drynext', 'dry'])
  })

  test('Shlink counts visits by day and label and imports validity limits', async ({
    importer,
    request,
  }) => {
    const visit = (date: string, more: object = {}) => ({
      date,
      referer: 'https://www.news.example/a',
      userAgent: 'curl/8',
      potentialBot: false,
      visitLocation: { countryCode: 'DE', cityName: 'Berlin' },
      ...more,
    })
    const source = await importer.importFrom('shlink', ({ path, query, headers }) => {
      if (headers['x-api-key'] !== KEY) return { status: 401 }
      const page = Number(query.get('page'))
      const pagination = { currentPage: page, pagesCount: 2 }
      if (path === '/rest/v3/short-urls') {
        const data = {
          shortCode: `shl${page}`,
          longUrl: target,
          dateCreated: '2026-01-01T00:00:00+01:00',
          tags: ['x'],
          visitsSummary: { total: 5, nonBots: page === 1 ? 4 : 0 },
          meta: { validSince: '2020-01-01T01:00:00+01:00', maxVisits: page === 1 ? 5 : 9 },
        }
        const more = { shortCode: `${page}-more`, longUrl: target, meta: { maxVisits: 2_000_000 } }
        return { shortUrls: { data: [data, 'broken', more], pagination } }
      }
      if (path !== '/rest/v3/short-urls/shl1/visits') return { status: 404 }
      const data =
        page === 1
          ? [
              visit('2026-02-03T04:05:06+00:00'),
              visit('2026-02-03T05:00:00+00:00', { visitLocation: null }),
            ]
          : [
              visit('2026-02-04T00:00:00+00:00', { referer: '' }),
              visit('2026-02-04T00:00:00+00:00', { potentialBot: true }),
            ]
      return { visits: { data, pagination } }
    })
    const result = await source.run()
    expect(result).toMatchObject({ rows: 6, created: 2, refused: 4, clicks: 4 })
    // A lower limit would end links that still work.
    expect(result.problems[1].problem).toMatch(/^maxClicks must be a whole number from 1 to/)
    const link = (await importer.listUrls()).find(
      ({ alias }: { alias: string }) => alias === 'shl1',
    )
    const stats = await request({
      url: `/api/url/${link.id}/stats?from=2025-12-01&to=2026-03-01&interval=day`,
      headers: importer.headers,
    })
    const { data } = stats.json()
    const days = data.timeline.filter(({ clicks }: { clicks: number }) => clicks > 0)
    expect(
      days.map(({ start, clicks }: { start: string; clicks: number }) => [start, clicks]),
    ).toEqual([
      ['2025-12-31', 1],
      ['2026-02-03', 2],
      ['2026-02-04', 1],
    ])
    expect(data).toMatchObject({ clicks: 4, newVisitors: 0 })
    expect(data.countries).toContainEqual({ label: 'Germany', code: 'DE', clicks: 2 })
    expect(data.referrers).toContainEqual({ label: 'news.example', clicks: 2 })
    const { details } = (
      await request({ url: `/api/url/${link.id}`, headers: importer.headers })
    ).json()
    expect(details).toMatchObject({ startsAt: '2020-01-01 00:00:00', maxClicks: 5 })
    // Shlink counts bots toward the limit.
    expect((await request({ url: '/shl1' })).statusCode).toBe(410)
    expect((await request({ url: '/shl2' })).statusCode).toBe(302)
    expect(await importer.check()).toContain('agree')
  })
})

describe('an import from an API', () => {
  test('stops at the first empty page of links or visits, regardless of the page count', async ({
    importer,
  }) => {
    const source = await importer.importFrom('shlink', ({ path, query }) => {
      const data = Number(query.get('page')) > 2 ? [] : [{ date: '2026-02-03T04:05:06Z' }]
      const pagination = { pagesCount: 1e9 }
      if (path.endsWith('/visits')) return { visits: { data, pagination } }
      const page = query.get('page')
      const link = { shortCode: `endless${page}`, longUrl: target, visitsSummary: { nonBots: 5 } }
      return { shortUrls: { data: data.map(() => link), pagination } }
    })
    expect(await source.run()).toMatchObject({ rows: 2, created: 2, clicks: 10 })
    expect(source.requests).toHaveLength(3 + 2 * 3)
  })

  test('ends if the API repeats a group, and fails if it returns more links than requested', async ({
    importer,
  }) => {
    const groups = [{ guid: 'G1' }, { guid: 'G2' }, { guid: 'G1' }]
    const repeating = await importer.importFrom('bitly', ({ path }) =>
      path === '/v4/groups' ? { groups } : { links: [], pagination: { search_after: 'more' } },
    )
    expect(await repeating.run()).toMatchObject({ rows: 0 })
    expect(repeating.requests).toHaveLength(3)
    const overflowing = await importer.importFrom('kutt', () => ({ data: range(0, 51) }))
    expect(await overflowing.run()).toMatch(/returned more links than requested/)
  })

  test('goes on after a page with fewer links than requested, up to their total', async ({
    importer,
  }) => {
    const kutt = await importer.importFrom('kutt', ({ query }) => {
      const skip = Number(query.get('skip'))
      const data = range(skip, Math.min(skip + 10, 25)).map((n) => ({ address: `few${n}`, target }))
      return { total: 25, limit: 10, skip, data }
    })
    expect(await kutt.run()).toMatchObject({ rows: 25, created: 25 })
    const yourls = await importer.importFrom('yourls', ({ query }) => {
      const start = Number(query.get('start'))
      const links = range(start, Math.min(start + 100, 150)).map((n) => [
        `link_${n}`,
        { shorturl: `https://sho.rt/few-${n}`, url: target },
      ])
      return { links: Object.fromEntries(links), stats: { total_links: '150' } }
    })
    expect(await yourls.run()).toMatchObject({ rows: 150, created: 150 })
    expect([kutt.requests.length, yourls.requests.length]).toEqual([3, 2])
  })

  test.for(['kutt', 'yourls', 'bitly', 'shlink'])(
    'fails instead of importing nothing if the response of %s has no list of links',
    async (name, { importer }) => {
      const source = await importer.importFrom(name, () => ({ status_code: 200, success: true }))
      expect(await source.run()).toMatch(/^brevis: The source responded/)
      if (name !== 'yourls') return
      const empty = await importer.importFrom(name, () => ({ stats: { total_links: '0' } }))
      expect(await empty.run()).toMatchObject({ rows: 0 })
    },
  )

  test('fails with one line if the API rejects the key, returns no JSON object or redirects', async ({
    importer,
  }) => {
    const unauthorized = await importer.importFrom('kutt', () => ({ status: 401 }))
    expect(await unauthorized.run()).toBe('brevis: The source rejects the key.\n')
    const notJson = await importer.importFrom('kutt', () => ({ status: 200, text: '<html>' }))
    expect(await notJson.run()).toMatch(/not respond with a JSON object/)
    const latin1 = Buffer.from(
      '{"data":[{"address":"ü","target":"https://x.example/ü"}]}',
      'latin1',
    )
    const notUtf8 = await importer.importFrom('kutt', () => ({ status: 200, text: latin1 }))
    expect(await notUtf8.run()).toMatch(/not respond with a JSON object/)
    const moved = await importer.importFrom('kutt', () => ({
      status: 302,
      headers: { location: '/x' },
    }))
    expect(await moved.run()).toMatch(/cannot be read: too_many_redirects/)
  })
})
