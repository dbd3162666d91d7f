import { describe, expect } from 'vitest'
import { formatTimestamp } from '../../src/http/timestamp.ts'
import { appTest } from '../support/test.ts'
import { yourlsClient } from '../support/yourls.ts'

const test = appTest().extend('call', { scope: 'file' }, ({ app, owner }) =>
  yourlsClient({ app, owner }),
)

const destination = 'https://example.com/target'

describe('expand and url-stats', () => {
  test('find a link by its keyword and by its short URL', async ({ app, call, make, owner }) => {
    const { createdAt } = await make.link(owner, { alias: 'known', metaTitle: 'Known' })
    await app.request({ url: '/known' })
    await app.importClicks()
    for (const shorturl of ['known', 'http://brev.test/known', 'brev.test/known']) {
      expect((await call({ action: 'expand', shorturl })).json()).toEqual({
        keyword: 'known',
        shorturl: 'http://brev.test/known',
        longurl: destination,
        title: 'Known',
        message: 'success',
        statusCode: '200',
      })
      expect((await call({ action: 'url-stats', shorturl })).json()).toEqual({
        statusCode: '200',
        message: 'success',
        link: {
          shorturl: 'http://brev.test/known',
          url: destination,
          title: 'Known',
          timestamp: formatTimestamp(createdAt),
          ip: '',
          clicks: '1',
        },
      })
    }
  })

  test('return 404 for links of other accounts and hosts and for invalid input', async ({
    call,
    make,
  }) => {
    await make.link(await make.owner(), { alias: 'foreign' })
    for (const shorturl of [
      'foreign',
      'http://brev.test/foreign',
      'https://a.example/x',
      '',
      '%',
    ]) {
      const expanded = await call({ action: 'expand', shorturl })
      expect(expanded.statusCode).toBe(404)
      expect(expanded.json()).toEqual({
        keyword: shorturl,
        message: 'Error: short URL not found',
        errorCode: '404',
      })
      const stats = await call({ action: 'url-stats', shorturl })
      expect(stats.statusCode).toBe(404)
      expect(stats.json()).toEqual({ statusCode: '404', message: 'Error: short URL not found' })
    }
  })
})

describe('stats and db-stats', () => {
  test('count the links and clicks of the account and list the requested links', async ({
    app,
    call,
    make,
  }) => {
    const firstOwner = await make.owner()
    for (const [alias, clicks] of [
      ['second', 2],
      ['most', 3],
      ['none', 0],
      ['least', 1],
    ] as const) {
      await make.link(firstOwner, { alias })
      for (let click = 0; click < clicks; click += 1) await app.request({ url: `/${alias}` })
    }
    await app.importClicks()
    const totals = { total_links: '4', total_clicks: '6' }
    expect((await call({ action: 'db-stats' }, firstOwner)).json()).toEqual({
      'db-stats': totals,
      statusCode: '200',
      message: 'success',
    })
    const listKeywords = async (fields: Record<string, string>) => {
      const { links = {}, ...rest } = (
        await call({ action: 'stats', ...fields }, firstOwner)
      ).json()
      expect(rest).toEqual({ stats: totals, statusCode: '200', message: 'success' })
      expect(Object.keys(links)).toEqual(Object.keys(links).map((_name, at) => `link_${at + 1}`))
      return Object.values<{ shorturl: string }>(links).map(({ shorturl }) =>
        shorturl.slice('http://brev.test/'.length),
      )
    }
    expect(await listKeywords({ filter: 'top', limit: '10' })).toEqual([
      'most',
      'second',
      'least',
      'none',
    ])
    expect(await listKeywords({ limit: '2' })).toEqual(['most', 'second'])
    expect(await listKeywords({ filter: 'top', limit: '2', start: '1' })).toEqual([
      'second',
      'least',
    ])
    expect(await listKeywords({ filter: 'bottom', limit: '2' })).toEqual(['none', 'least'])
    expect(await listKeywords({ filter: 'bottom', limit: '9', start: '3' })).toEqual(['most'])
    expect(await listKeywords({ filter: 'bottom', limit: '9', start: '4' })).toEqual([])
    expect(await listKeywords({ filter: 'last', limit: '3' })).toEqual(['least', 'none', 'most'])
    expect(await listKeywords({ filter: 'last', limit: '3', start: '9' })).toEqual([])
    expect((await listKeywords({ filter: 'rand', limit: '999999' })).sort()).toEqual(
      ['least', 'most', 'none', 'second'].sort(),
    )
    expect(await listKeywords({ filter: 'rand', limit: '3' })).toHaveLength(3)
    expect(await listKeywords({ filter: 'top' })).toEqual([])
    expect(await listKeywords({ filter: 'top', limit: '0' })).toEqual([])
  })

  test('include distinct random links from the whole list', async ({ call, make }) => {
    const ownerOfManyLinks = await make.owner()
    for (let count = 0; count < 35; count += 1) await make.link(ownerOfManyLinks)
    const keywords = new Set<string>()
    for (let round = 0; round < 20; round += 1) {
      const { links } = (
        await call({ action: 'stats', filter: 'rand', limit: '12' }, ownerOfManyLinks)
      ).json()
      const shortUrls = Object.values<{ shorturl: string }>(links).map(({ shorturl }) => shorturl)
      expect(new Set(shortUrls).size).toBe(12)
      for (const shortUrl of shortUrls) keywords.add(shortUrl)
    }
    // The probability that all twenty rounds miss a particular link is below 1 in 1,000.
    expect(keywords.size).toBeGreaterThan(30)
  })

  test('are zero for an empty account', async ({ call, make }) => {
    const empty = await make.owner()
    for (const filter of ['top', 'bottom', 'last', 'rand']) {
      expect((await call({ action: 'stats', filter, limit: '5' }, empty)).json()).toEqual({
        stats: { total_links: '0', total_clicks: '0' },
        statusCode: '200',
        message: 'success',
      })
    }
  })

  test.for([
    ['limit', '-1'],
    ['limit', 'ten'],
    ['start', '1.5'],
    ['start', '9'.repeat(16)],
  ] as const)('reject %s=%s', async ([name, value], { call }) => {
    const reply = await call({ action: 'stats', [name]: value })
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({
      status: 'fail',
      message: `${name} must be a whole number`,
      errorCode: '400',
    })
  })
})

test('version is the YOURLS version that the API follows', async ({ call }) => {
  expect((await call({ action: 'version' })).json()).toEqual({ version: '1.10' })
  const { db_version } = (await call({ action: 'version', db: '1' })).json()
  expect(db_version).toMatch(/^\d+$/)
})

test.for(['', 'delete', 'SHORTURL', '__proto__'])(
  'the YOURLS API rejects the unknown action %j',
  async (action, { call }) => {
    const reply = await call(action ? { action } : {})
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({
      status: 'fail',
      message: 'Unknown or missing "action" parameter',
      errorCode: '400',
    })
  },
)
