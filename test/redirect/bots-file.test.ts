import { describe, expect } from 'vitest'
import { appTest } from '../support/test.ts'

const url = 'https://example.com/target'

const BOTS_FILE = JSON.stringify({
  crawler: ['ExampleCollector'],
  monitor: ['Example Check'],
  preview: ['Example-Card'],
})
const BOTS = {
  crawler: 'Mozilla/5.0 (compatible; ExampleCollector/1.0)',
  monitor: 'curl/8.5.0 (Example Check)',
  preview: 'Example-Card/2.0',
}

const test = appTest({ files: { BOTS_FILE } })
const testWithoutFile = appTest()

describe('names of BOTS_FILE', () => {
  test('get a preview or a redirect by their kind, and are not counted', async ({
    app,
    make,
    owner,
    request,
  }) => {
    const { id, alias } = await make.link(owner, { url, metaTitle: 'A title' })
    const visit = (userAgent: string) =>
      request({ url: `/${alias}`, headers: { 'user-agent': userAgent } })
    const preview = await visit(BOTS.preview)
    expect([preview.statusCode, preview.body]).toEqual([
      200,
      expect.stringContaining('<meta property="og:title" content="A title">'),
    ])
    for (const userAgent of [BOTS.crawler, BOTS.monitor]) {
      const reply = await visit(userAgent)
      expect([reply.statusCode, reply.headers.location], userAgent).toEqual([302, url])
    }
    expect(await app.clicksOf(owner, id)).toBe(0)
    await visit('Mozilla/5.0 (X11)')
    expect(await app.clicksOf(owner, id)).toBe(1)
  })

  test('use no click of a limited link', async ({ app, make, owner, request }) => {
    const { id, alias } = await make.link(owner, { url, maxClicks: 1 })
    for (const userAgent of Object.values(BOTS)) {
      const reply = await request({ url: `/${alias}`, headers: { 'user-agent': userAgent } })
      expect([reply.statusCode, reply.headers.location], userAgent).toEqual([200, undefined])
    }
    const visit = await request({ url: `/${alias}` })
    expect([visit.statusCode, visit.headers.location]).toEqual([302, url])
    expect(await app.clicksOf(owner, id)).toBe(1)
  })

  test('of previews are allowed in robots.txt', async ({ request }) => {
    const { body } = await request({ url: '/robots.txt' })
    expect(body).toContain('User-agent: Twitterbot\n')
    expect(body).toContain('User-agent: Example-Card\n')
    expect(body).not.toContain('ExampleCollector')
  })
})

testWithoutFile(
  'without BOTS_FILE, the same names count',
  async ({ app, make, owner, request }) => {
    const { id, alias } = await make.link(owner, { url, metaTitle: 'A title' })
    for (const userAgent of [BOTS.crawler, BOTS.monitor, BOTS.preview]) {
      await request({ url: `/${alias}`, headers: { 'user-agent': userAgent } })
    }
    expect(await app.clicksOf(owner, id)).toBe(3)
  },
)
