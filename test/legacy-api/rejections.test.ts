import type { FastifyInstance, InjectOptions } from 'fastify'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { Config } from '../../src/config.ts'
import { buildApp } from '../../src/http/app.ts'
import { formatTimestamp } from '../../src/http/timestamp.ts'
import { createServices } from '../../src/services.ts'
import { type TestApp, testApp } from '../support/app.ts'
import { base64, callLegacyApi, readXml } from '../support/legacy-api.ts'
import type { Owner } from '../support/make.ts'
import { startProxy } from '../support/tcp-proxy.ts'

let t: TestApp
let owner: Owner

beforeAll(async () => {
  t = await testApp()
  owner = await t.make.owner()
})
afterAll(() => t.close())

type Reply = Awaited<ReturnType<TestApp['request']>>

const call = (path: string, options?: Partial<InjectOptions>, by = owner) =>
  callLegacyApi(t, by.key, path, options)
const creation = `create/url/${base64('https://example.com/target')}`
const total = async () =>
  (await t.services.links.list(owner.account.id, { order: 'date', limit: 1, offset: 0 })).total

function expectHeaders({ headers }: Reply) {
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'access-control-allow-origin': '*',
    'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
    'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
    'x-ratelimit-reset': expect.stringMatching(/^\d{10}$/),
  })
}

function expectRejection(reply: Reply, status: number, message: string, format: 'json' | 'xml') {
  expect(reply.statusCode).toBe(status)
  expectHeaders(reply)
  const expected = { message, date_time: formatTimestamp(t.clock()) }
  if (format === 'json') expect(reply.json()).toEqual({ code: status, data: expected })
  else expect(readXml(reply.body)).toMatchObject({ code: String(status), data: expected })
}

/** One more app on the same database, as another process would be. */
async function anotherApp(changes: Partial<Config> & { databaseUrl?: string }) {
  const config = { ...t.services.config, databaseUrl: t.databaseUrl, ...changes }
  const services = await createServices(config, { clock: t.clock })
  const app = await buildApp(services)
  onTestFinished(async () => {
    await app.close()
    await services.close()
  })
  return app
}

const inject = (app: FastifyInstance, url: string) =>
  app.inject({ url, headers: { host: 'brev.test' }, remoteAddress: '203.0.113.7' })

describe.each(['json', 'xml'] as const)('in %s', (format) => {
  const keyRequired = 'A valid API key is required to use this service.'

  test('a call is refused without a valid key', async () => {
    for (const key of ['', 'nonsense', `${owner.key.slice(0, -1)}?`, '%62rv_x']) {
      const reply = await t.request({ url: `/api/v1/${key}/shorturl/list_active_urls.${format}` })
      expect(reply.statusCode).toBe(401)
      expectHeaders(reply)
    }
    const reply = await t.request({ url: `/api/v1/nonsense/shorturl/list_active_urls.${format}` })
    expectRejection(reply, 401, keyRequired, format)
    const { headers } = owner
    const elsewhere = await t.request({ url: `/api/v1/x/shorturl/${creation}.${format}`, headers })
    expectRejection(elsewhere, 401, keyRequired, format)
  })

  test('a call is refused from the moment its key is revoked or its account suspended', async () => {
    const other = await t.make.owner()
    const attempt = () => call(`list_active_urls.${format}`, {}, other)
    expect((await attempt()).statusCode).toBe(200)
    await t.services.accounts.setSuspended(other.account.email, true)
    expectRejection(await attempt(), 403, 'This account has been suspended.', format)
    await t.services.accounts.setSuspended(other.account.email, false)
    const [key] = await t.services.keys.list(other.account.id)
    await t.services.keys.revoke(other.account.id, key?.id ?? 0)
    expectRejection(await attempt(), 401, keyRequired, format)
  })

  test.each(['nonsense', 'create2/url/YQ', 'CREATE/url/YQ', 'list_active', '', 'shorturl/info'])(
    'the operation %j is not found',
    async (path) => {
      const reply = await call(`${path}.${format}`)
      expectRejection(reply, 404, 'The requested resource was not found.', format)
    },
  )

  test('a path outside of the operations is not found', async () => {
    for (const path of [
      '',
      '/',
      `/${owner.key}/x.${format}`,
      `/${owner.key}/shorturl2/info.${format}`,
    ]) {
      const reply = await t.request({ url: `/api/v1${path}` })
      expect([401, 404]).toContain(reply.statusCode)
      expect(reply.body).toContain('date_time')
      expectHeaders(reply)
    }
  })

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const)(
    '%s does nothing',
    async (method) => {
      const before = await total()
      const headers = { 'content-type': 'application/x-unknown' }
      const reply = await call(`${creation}.${format}`, {
        method,
        headers,
        ...(method !== 'HEAD' && { payload: 'x=1' }),
      })
      expect(reply.headers.allow).toBe('GET')
      if (method !== 'HEAD') {
        expectRejection(reply, 405, 'This method is not allowed here.', format)
      } else {
        expect([reply.statusCode, reply.body]).toEqual([405, ''])
        expectHeaders(reply)
      }
      expect(await total()).toBe(before)
    },
  )

  test.each([
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-moz': 'prefetch' },
  ])('a prefetch with %j does nothing', async (headers) => {
    const before = await total()
    const reply = await call(`${creation}.${format}`, { headers })
    expectRejection(reply, 405, 'This method is not allowed here.', format)
    expect(reply.headers.allow).toBe('GET')
    expect(await total()).toBe(before)
  })

  test('broken escapes are refused wherever they stand', async () => {
    const malformed = await call(`create/password/%zz/url/YQ.${format}`)
    expectRejection(malformed, 400, 'The request could not be understood.', format)
    const notText = await call(`create/password/%ff/url/YQ.${format}`)
    expect(notText.statusCode).toBe(400)
    expect(notText.body).toContain('date_time')
    expectHeaders(notText)
  })

  test('a value too long for any URL is refused', async () => {
    const reply = await call(`create/url/${'A'.repeat(50_000)}.${format}`)
    expect(reply.statusCode).toBe(400)
    expect(reply.body).toContain('date_time')
    expectHeaders(reply)
  })

  test('the limit is one for both APIs', async () => {
    const app = await anotherApp({ rateLimitPerMinute: 3 })
    const { key, headers } = await t.make.owner()
    const url = `/api/v1/${key}/shorturl/list_active_urls.${format}`
    const first = await inject(app, url)
    const second = await app.inject({ url: '/api/account', headers })
    const third = await inject(app, url)
    const left = [first, second, third].map((reply) => reply.headers['x-ratelimit-remaining'])
    expect(left).toEqual(['2', '1', '0'])
    const fourth = await inject(app, url)
    expectRejection(fourth, 429, 'Too Many Requests. Please retry later.', format)
    expect(fourth.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect((await app.inject({ url: '/api/account', headers })).statusCode).toBe(429)
  })

  test('a call is told when the database cannot be reached', async () => {
    const proxy = await startProxy(t.databaseUrl)
    const app = await anotherApp({ databaseUrl: proxy.url })
    const url = `/api/v1/${owner.key}/shorturl/${creation}.${format}`
    expect((await inject(app, url)).statusCode).toBe(200)
    proxy.takeAway()
    const reply = await inject(app, url)
    expectRejection(
      reply,
      503,
      'The service is temporarily unavailable. Please retry later.',
      format,
    )
    expect(reply.headers['retry-after']).toBe('2')
    proxy.bringBack()
    await expect.poll(async () => (await inject(app, url)).statusCode).toBe(200)
    await proxy.close()
  })
})

test('a doubled slash before api is tolerated', async () => {
  const reply = await t.request({ url: `//api/v1/${owner.key}/shorturl/${creation}.json` })
  expect(reply.json()).toMatchObject({ code: 200 })
  expectHeaders(reply)
})

test('a query beside the path means nothing', async () => {
  const reply = await call(`${creation}.json?x=.xml`)
  expect(reply.json()).toMatchObject({ code: 200 })
})

test('every success carries the headers too', async () => {
  for (const path of [creation, 'list_active_urls'])
    for (const ending of ['json', 'xml']) expectHeaders(await call(`${path}.${ending}`))
})

test('another process turns visitors away as soon as a link is disabled', async () => {
  const app = await anotherApp({})
  const { shortUrl, alias } = await t.make.link(owner)
  const visit = async () => (await inject(app, `/${alias}`)).statusCode
  expect(await visit()).toBe(302)
  for (const [operation, seen] of [
    ['disable', 410],
    ['enable', 302],
  ] as const) {
    await call(`${operation}/short_url/${base64(shortUrl)}.json`)
    await expect.poll(visit).toBe(seen)
  }
})

describe('the description', () => {
  test('has the six operations in both formats', async () => {
    const { paths } = (await t.request({ url: '/openapi.json' })).json()
    const described = Object.entries<Record<string, { tags: string[]; responses: object }>>(paths)
      .filter(([path]) => path.startsWith('/api/v1/'))
      .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method} ${path}`))
    const base = 'get /api/v1/{key}/shorturl'
    expect(described).toEqual([
      `${base}/create/url/{url}.{format}`,
      `${base}/create/custom_url/{custom_url}/password/{password}/expiry_date/{expiry_date}/base_domain/{base_domain}/url/{url}.{format}`,
      `${base}/disable/short_url/{short_url}.{format}`,
      `${base}/enable/short_url/{short_url}.{format}`,
      `${base}/info/short_url/{short_url}.{format}`,
      `${base}/list_active_urls.{format}`,
    ])
    const { content } = paths['/api/v1/{key}/shorturl/list_active_urls.{format}'].get.responses[200]
    expect(Object.keys(content)).toEqual(['application/json', 'text/xml'])
  })

  test('names paths that work when they are filled in', async () => {
    const { shortUrl } = await t.make.link(owner)
    const values: Record<string, string> = {
      key: owner.key,
      url: base64('https://example.com/target'),
      short_url: base64(shortUrl),
      custom_url: 'described',
      password: 'secret',
      expiry_date: '2099-12-31',
      base_domain: 'brev.test',
      format: 'json',
    }
    const described = t.contract.operations.filter(({ path }) => path.startsWith('/api/v1/'))
    expect(described).toHaveLength(6)
    for (const { path, parameters } of described) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(parameters?.map(({ name }) => name).sort()).toEqual(names.sort())
      const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''))
      // The reply is held against its description by `request`.
      expect([path, (await t.request({ url })).statusCode]).toEqual([path, 200])
    }
  })
})
