import { describe, expect } from 'vitest'
import { setLinkStatus } from '../../src/links/link.service.ts'
import { readCriteria } from '../../src/links/link-filter.ts'
import { searchLinks } from '../../src/links/lists/search-links.queries.ts'
import { scopeOf } from '../../src/scope.ts'
import { resourceClient } from '../support/api-client.ts'
import { openPatiently } from '../support/database.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'

const ORDERS = ['date', 'oldest', 'click', 'least-clicked', 'alias', 'alias-descending'] as const

type SearchResult = { total: number; aliases: string[] }

const test = appTest()
  .extend('database', { scope: 'file' }, async ({ app }, { onCleanup }) => {
    const database = openPatiently(app.databaseUrl)
    onCleanup(() => database.close())
    return database
  })
  .extend('find', { scope: 'file' }, ({ app, owner }) => {
    const { list } = resourceClient({ app, owner }, 'url')
    return async (linkOwner: Owner, query: Record<string, string>): Promise<SearchResult> => {
      const data = await list(linkOwner, `?${new URLSearchParams(query)}`)
      const aliases = data.urls.map(({ alias }: { alias: string }) => alias)
      return { total: data.result, aliases }
    }
  })
  .extend('linkOwner', { scope: 'file' }, async ({ make }) => {
    const linkOwner = await make.owner()
    for (const [alias, url, title, tags] of [
      ['Shop', 'https://example.com/a', 'Big SALE today', ['Summer', 'München']],
      ['Bee', 'https://Shop.example/B/Path?q=100%25', null, ['winter']],
      ['märz', 'https://example.com/grün', 'ΟΔΥΣΣΕΥΣ und Äpfel', []],
      ['under_score', 'https://example.com/x', '50% off \\ * İSPARTA', ['sale']],
      ['plain', 'https://example.com/y', null, []],
    ] as const) {
      await make.link(linkOwner, { alias, url, metaTitle: title, tags: [...tags] })
    }
    return linkOwner
  })

describe('GET /api/urls?q=', () => {
  test.for([
    ['shop', ['Bee', 'Shop']],
    ['SHOP', ['Bee', 'Shop']],
    [' sale ', ['under_score', 'Shop']],
    ['summer', ['Shop']],
    ['münch', ['Shop']],
    ['MÜNCH', ['Shop']],
    ['MÄRZ', ['märz']],
    ['m%C3%A4rz', ['märz']],
    ['brev.test/märz', ['märz']],
    ['http://brev.test/m%C3%A4rz', ['märz']],
    ['brev.test/', []],
    ['other.example/märz', []],
    ['äpfel', ['märz']],
    ['ÄPFEL', ['märz']],
    ['a\u0308pfel', ['märz']],
    // Without the accent of the query, and with the final sigma that lowercase has but uppercase lacks.
    ['οδυσσεύς'.normalize('NFD').replace(/\u0301/, ''), ['märz']],
    ['GRÜN', ['märz']],
    ['İsparta', ['under_score']],
    ['İSPARTA off', ['under_score']],
    ['/b/path', ['Bee']],
    ['100%25', ['Bee']],
    ['50%', ['under_score']],
    ['%', ['under_score', 'märz', 'Bee']],
    ['_', ['under_score']],
    ['\\', ['under_score']],
    ['*', ['under_score']],
    ["' or 1=1 --", []],
    ['no such text', []],
    ['com/y', ['plain']],
    ['today big', ['Shop']],
    ['SUMMER sale', ['Shop']],
    ['ay ig ün', ['Shop']],
    ['sale off', ['under_score']],
    ['äpfel\u00a0 GRÜN\tmärz', ['märz']],
    ['äpfel brev.test/märz', ['märz']],
    ['sale sale le', ['under_score', 'Shop']],
    ['sale winter', []],
    ['big today nothing', []],
  ] as const)('%s finds %j', async ([q, aliases], { linkOwner, find }) => {
    expect(await find(linkOwner, { q })).toEqual({ total: aliases.length, aliases })
  })

  test('rejects more than 50 different words', async ({ linkOwner, request }) => {
    const search = async (words: number) => {
      const q = Array.from({ length: words }, (_, index) => `é${index}`).join(' ')
      const url = `/api/urls?${new URLSearchParams({ q: `${q} ${q}`.slice(0, 500) })}`
      return request({ url, headers: linkOwner.headers })
    }
    expect((await search(50)).statusCode).toBe(200)
    const { statusCode, body } = await search(51)
    expect(statusCode).toBe(400)
    expect(JSON.parse(body)).toEqual({ error: 1, message: 'q must have at most 50 words' })
  })

  test('returns all links for an empty search', async ({ linkOwner, find }) => {
    for (const [q, tag] of [
      ['', ''],
      ['  ', ' '],
    ] as const) {
      expect((await find(linkOwner, { q, tag })).total).toBe(5)
    }
  })

  test('rejects a search that is too long or invalid', async ({ linkOwner, request }) => {
    for (const [q, message] of [
      ['x'.repeat(501), 'q must be at most 500 characters long'],
      ['x'.repeat(2001), 'q must not have more than 2000 characters'],
      ['a\0', 'q must be text without NUL characters or broken surrogates'],
    ]) {
      const url = `/api/urls?${new URLSearchParams({ q: q ?? '' })}`
      const reply = await request({ url, headers: linkOwner.headers })
      expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
    }
    expect(
      (await request({ url: '/api/urls?q=a&q=b', headers: linkOwner.headers })).statusCode,
    ).toBe(400)
    expect(
      (
        await request({ url: `/api/urls?q=${'😀'.repeat(500)}`, headers: linkOwner.headers })
      ).json(),
    ).toMatchObject({ data: { result: 0 } })
  })
})

describe('GET /api/urls?tag=', () => {
  test('returns links with exactly this tag, ignoring case, that match the search', async ({
    linkOwner,
    find,
  }) => {
    expect(await find(linkOwner, { tag: 'SALE' })).toEqual({ total: 1, aliases: ['under_score'] })
    expect(await find(linkOwner, { tag: 'MÜNCHEN' })).toEqual({ total: 1, aliases: ['Shop'] })
    expect(await find(linkOwner, { tag: 'sal' })).toEqual({ total: 0, aliases: [] })
    expect(await find(linkOwner, { tag: 'summer', q: 'sale' })).toEqual({
      total: 1,
      aliases: ['Shop'],
    })
    expect(await find(linkOwner, { tag: 'winter', q: 'sale' })).toEqual({ total: 0, aliases: [] })
  })

  test('ignores links and tags of other accounts', async ({ linkOwner, find, make }) => {
    const otherOwner = await make.owner()
    await make.link(otherOwner, { alias: 'theirs', tags: ['Secret', 'Summer'] })
    expect(await find(linkOwner, { q: 'secret' })).toEqual({ total: 0, aliases: [] })
    expect(await find(linkOwner, { tag: 'secret' })).toEqual({ total: 0, aliases: [] })
    expect(await find(linkOwner, { tag: 'summer' })).toEqual({ total: 1, aliases: ['Shop'] })
    expect(await find(otherOwner, { q: 'summer' })).toEqual({ total: 1, aliases: ['theirs'] })
  })

  test('excludes links of QR codes', async ({ find, make }) => {
    const otherOwner = await make.owner()
    await make.qr(otherOwner, { type: 'link', data: 'https://example.com/code' })
    expect((await find(otherOwner, { q: 'example' })).total).toBe(0)
  })
})

test('pages of search results have correct totals, by date and by clicks', async ({
  app,
  find,
  make,
  request,
}) => {
  const otherOwner = await make.owner()
  const created = []
  for (let n = 0; n < 7; n += 1) {
    created.push(await make.link(otherOwner, { alias: `page-${n}`, tags: n % 2 ? [] : ['even'] }))
    await make.link(otherOwner, { alias: `else-${n}`, url: 'https://example.com/other' })
  }
  for (const n of [4, 4, 2, 3]) await request({ url: `/page-${n}` })
  await app.importClicks()
  const all = [6, 5, 4, 3, 2, 1, 0].map((n) => `page-${n}`)
  for (let page = 1; page <= 5; page += 1) {
    const found = await find(otherOwner, { q: 'PAGE-', limit: '2', page: String(page) })
    expect(found).toEqual({ total: 7, aliases: all.slice(2 * page - 2, 2 * page) })
  }
  const url = '/api/urls?q=page&limit=3&page=2'
  const { data } = (await request({ url, headers: otherOwner.headers })).json()
  expect(data).toMatchObject({ result: 7, perpage: 3, currentpage: 2, nextpage: 3, maxpage: 3 })
  const clicked = await find(otherOwner, { q: 'page', order: 'click' })
  expect(clicked.aliases).toEqual([4, 3, 2, 6, 5, 1, 0].map((n) => `page-${n}`))
  const even = await find(otherOwner, { tag: 'Even', order: 'click', limit: '3' })
  expect(even).toEqual({ total: 4, aliases: ['page-4', 'page-2', 'page-6'] })
})

test('a search finds links by a tag that all or most links have', async ({ make, database }) => {
  const otherOwner = await make.owner()
  const created: number[] = []
  for (let n = 0; n < 6; n += 1) {
    const tags = ['Everywhere', ...(n > 2 ? ['every-second', 'mostly'] : [])]
    const url = `https://example.com/${n === 1 ? 'mostly' : 'page'}`
    created.unshift((await make.link(otherOwner, { url, tags })).id)
  }
  const find = (search: string) => {
    const criteria = readCriteria({ search }) ?? {}
    const query = {
      accountId: otherOwner.account.id,
      criteria,
      order: 'date',
      now: new Date(),
    } as const
    return searchLinks(database.db, query, { limit: 4, offset: 0 }, { maxMatches: 2 })
  }
  // Matches one tag, two tags of the same links, or a tag and a destination.
  expect(await find('everywhere')).toEqual({ total: 6, ids: created.slice(0, 4) })
  expect(await find('every')).toEqual({ total: 6, ids: created.slice(0, 4) })
  expect(await find('mostly')).toEqual({ total: 4, ids: [...created.slice(0, 3), created[4]] })
  expect(await find('every-')).toEqual({ total: 3, ids: created.slice(0, 3) })
})

test('a search returns the same pages whether its matches are read at once or counted separately', async ({
  app,
  make,
  request,
  database,
}) => {
  const otherOwner = await make.owner()
  const { id: domainId } = await make.domain(otherOwner, { domain: 'https://pages.example' })
  const created = []
  for (let n = 0; n < 12; n += 1) {
    const { alias, id } = await make.link(otherOwner, {
      // Every second link has a long URL and a long title.
      url: `https://example.com/${n % 3 ? 'Found' : 'not'}/${'x'.repeat(n % 2 ? 1960 : 0)}`,
      metaTitle: 'ä'.repeat(n % 2 ? 100 : 1),
      tags: n % 4 ? [] : ['found too'],
      ...(n % 2 === 0 && n !== 8 && { domain: 'pages.example' }),
      ...(n % 5 === 1 && { expiresAt: '2500-01-01' }),
    })
    created.push(alias)
    if (n % 5 === 2)
      await setLinkStatus(scopeOf(app.services, otherOwner.account.id), id, 'disabled')
  }
  await database.pool.query('update links set archived_at = now() where alias = any($1)', [
    [created[7], created[9]],
  ])
  app.clock.set('2500-01-02T00:00:00Z')
  for (const n of [1, 1, 8, 5, 5, 5, 3]) await request({ url: `/${created[n]}` })
  await app.importClicks()
  for (const filter of [
    { search: 'found' },
    { search: 'found too' },
    { search: 'found', state: 'active' },
    { tag: 'FOUND TOO' },
    { search: 'äää', state: 'active' },
    { tag: 'found too', state: 'active' },
    { state: 'active' },
    { state: 'disabled' },
    { state: 'expired' },
    { domainId },
    { domainId, search: 'found' },
    { domainId, tag: 'found too' },
    { domainId, state: 'active' },
    { neverClicked: true },
    { neverClicked: true, archived: false },
    { neverClicked: true, archived: true },
    { neverClicked: true, search: 'found' },
    { neverClicked: true, state: 'active' },
  ] as const) {
    const criteria = readCriteria(filter) ?? {}
    for (const order of ORDERS) {
      const search = { accountId: otherOwner.account.id, criteria, order, now: app.clock() }
      const all = await searchLinks(database.db, search, { limit: 20, offset: 0 })
      expect(all.ids.length).toBe(all.total)
      expect(all.total).toBeGreaterThan(0)
      const limited = { ...search, limitCount: true }
      const firstPage = await searchLinks(
        database.db,
        limited,
        { limit: 3, offset: 0 },
        { maxMatches: all.total },
      )
      const expected = { ids: all.ids.slice(0, 3), total: all.total, hasMore: false }
      expect({ hasMore: false, ...firstPage }).toEqual(expected)
      for (let offset = 0; offset < 14; offset += 1) {
        const page = await searchLinks(database.db, search, { limit: 3, offset }, { maxMatches: 2 })
        const ids = all.ids.slice(offset, offset + 3)
        expect(page).toEqual({ total: all.total, ids })
        // Matches are counted up to the end of the page.
        const total = Math.min(all.total, offset + 3)
        const hasMore = all.total > total
        const counted = await searchLinks(
          database.db,
          limited,
          { limit: 3, offset },
          { maxMatches: 2 },
        )
        expect({ hasMore: false, ...counted }).toEqual({ ids, total, hasMore })
      }
    }
  }
  // The number of archived links is exact, so these pages have exact totals.
  for (const [archived, total] of [
    [true, 2],
    [false, 10],
  ] as const) {
    for (const order of ORDERS) {
      const search = {
        accountId: otherOwner.account.id,
        criteria: { archived },
        order,
        now: app.clock(),
      }
      const { ids } = await searchLinks(database.db, search, { limit: 20, offset: 0 })
      expect(new Set(ids).size).toBe(total)
      for (let offset = 0; offset < 12; offset += 1) {
        const page = await searchLinks(database.db, search, { limit: 3, offset })
        expect(page).toEqual({ total, ids: ids.slice(offset, offset + 3) })
      }
    }
  }
  app.clock.set(new Date().toISOString())
})
