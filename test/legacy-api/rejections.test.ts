import type { FastifyInstance, InjectOptions } from 'fastify'
import { describe, expect, onTestFinished } from 'vitest'
import type { ReadyConfig } from '../../src/context.ts'
import { buildApp } from '../../src/http/app.ts'
import { formatTimestamp } from '../../src/http/timestamp.ts'
import { listKeys, revokeKey } from '../../src/identity/key.service.ts'
import { listLinks } from '../../src/links/link-list.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { setSuspended } from '../support/accounts.ts'
import type { TestApp } from '../support/app.ts'
import { createOtherProcess } from '../support/app.ts'
import { base64, callLegacyApi, readXml } from '../support/legacy-api.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner }) => {
  const call = (path: string, options?: Partial<InjectOptions>, caller = owner) =>
    callLegacyApi(app, caller.key, path, options)
  const countLinks = async () =>
    (
      await listLinks(scopeOf(app.services, owner.account.id), {
        order: 'date',
        limit: 1,
        offset: 0,
      })
    ).total
  function expectRejection(reply: Reply, status: number, message: string, format: 'json' | 'xml') {
    expect(reply.statusCode).toBe(status)
    expectHeaders(reply)
    const expected = { message, date_time: formatTimestamp(app.clock()) }
    if (format === 'json') expect(reply.json()).toEqual({ code: status, data: expected })
    else expect(readXml(reply.body)).toMatchObject({ code: String(status), data: expected })
  }
  /** Starts another application on the same database, like another process. */
  async function startAnotherApp(changes: Partial<ReadyConfig>) {
    const services = await createOtherProcess(app, changes, { clock: app.clock })
    const otherProcess = await buildApp(services)
    onTestFinished(async () => {
      await otherProcess.close()
      await services.close()
    })
    return otherProcess
  }
  return { expectRejection, call, startAnotherApp, countLinks }
})

type Reply = Awaited<ReturnType<TestApp['request']>>

const CREATE_PATH = `create/url/${base64('https://example.com/target')}`

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

const inject = (instance: FastifyInstance, url: string) =>
  instance.inject({ url, headers: { host: 'brev.test' }, remoteAddress: '203.0.113.7' })

describe.each(['json', 'xml'] as const)('the %s API', (format) => {
  const keyRequired = 'A valid API key is required to use this service.'

  test('rejects a call without a valid key', async ({
    owner,
    request,
    api: { expectRejection },
  }) => {
    for (const key of ['', 'nonsense', `${owner.key.slice(0, -1)}?`, '%62rv_x']) {
      const reply = await request({ url: `/api/v1/${key}/shorturl/list_active_urls.${format}` })
      expect(reply.statusCode).toBe(401)
      expectHeaders(reply)
    }
    const reply = await request({ url: `/api/v1/nonsense/shorturl/list_active_urls.${format}` })
    expectRejection(reply, 401, keyRequired, format)
    const { headers } = owner
    const invalidKey = await request({
      url: `/api/v1/x/shorturl/${CREATE_PATH}.${format}`,
      headers,
    })
    expectRejection(invalidKey, 401, keyRequired, format)
  })

  test('rejects a key as soon as it is revoked or its account is suspended', async ({
    app,
    make,
    api: { call, expectRejection },
  }) => {
    const otherOwner = await make.owner()
    const attempt = () => call(`list_active_urls.${format}`, {}, otherOwner)
    expect((await attempt()).statusCode).toBe(200)
    await setSuspended(app.services, otherOwner.account.id, true)
    expectRejection(await attempt(), 403, 'This account has been suspended.', format)
    await setSuspended(app.services, otherOwner.account.id, false)
    const [key] = await listKeys({ db: app.services.db, accountId: otherOwner.account.id })
    await revokeKey(scopeOf(app.services, otherOwner.account.id), key?.id ?? 0)
    expectRejection(await attempt(), 401, keyRequired, format)
  })

  test.for(['nonsense', 'create2/url/YQ', 'CREATE/url/YQ', 'list_active', '', 'shorturl/info'])(
    'returns 404 for the operation %j',
    async (path, { api: { call, expectRejection } }) => {
      const reply = await call(`${path}.${format}`)
      expectRejection(reply, 404, 'The requested resource was not found.', format)
    },
  )

  test('returns 401 or 404 for other paths', async ({ owner, request }) => {
    for (const path of [
      '',
      '/',
      `/${owner.key}/x.${format}`,
      `/${owner.key}/shorturl2/info.${format}`,
    ]) {
      const reply = await request({ url: `/api/v1${path}` })
      expect([401, 404]).toContain(reply.statusCode)
      expect(reply.body).toContain('date_time')
      expectHeaders(reply)
    }
  })

  test.for(['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const)(
    'rejects %s without creating a link',
    async (method, { api: { call, countLinks, expectRejection } }) => {
      const before = await countLinks()
      const headers = { 'content-type': 'application/x-unknown' }
      const reply = await call(`${CREATE_PATH}.${format}`, {
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
      expect(await countLinks()).toBe(before)
    },
  )

  test.for([
    { 'sec-purpose': 'prefetch' },
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-moz': 'prefetch' },
  ])(
    'rejects a prefetch with %j without creating a link',
    async (headers, { api: { call, countLinks, expectRejection } }) => {
      const before = await countLinks()
      const reply = await call(`${CREATE_PATH}.${format}`, { headers })
      expectRejection(reply, 405, 'This method is not allowed here.', format)
      expect(reply.headers.allow).toBe('GET')
      expect(await countLinks()).toBe(before)
    },
  )

  test('rejects invalid escapes everywhere', async ({ api: { call, expectRejection } }) => {
    const malformed = await call(`create/password/%zz/url/YQ.${format}`)
    expectRejection(malformed, 400, 'The request could not be understood.', format)
    const notUtf8 = await call(`create/password/%ff/url/YQ.${format}`)
    expect(notUtf8.statusCode).toBe(400)
    expect(notUtf8.body).toContain('date_time')
    expectHeaders(notUtf8)
  })

  test('rejects a value longer than any URL', async ({ api: { call } }) => {
    const reply = await call(`create/url/${'A'.repeat(50_000)}.${format}`)
    expect(reply.statusCode).toBe(400)
    expect(reply.body).toContain('date_time')
    expectHeaders(reply)
  })

  test('shares the rate limit with the JSON API', async ({
    make,
    api: { expectRejection, startAnotherApp },
  }) => {
    const otherProcess = await startAnotherApp({ rateLimitPerMinute: 3 })
    const { key, headers } = await make.owner()
    const url = `/api/v1/${key}/shorturl/list_active_urls.${format}`
    const first = await inject(otherProcess, url)
    const second = await otherProcess.inject({ url: '/api/account', headers })
    const third = await inject(otherProcess, url)
    const remaining = [first, second, third].map((reply) => reply.headers['x-ratelimit-remaining'])
    expect(remaining).toEqual(['2', '1', '0'])
    const fourth = await inject(otherProcess, url)
    expectRejection(fourth, 429, 'Too Many Requests. Please retry later.', format)
    expect(fourth.headers['retry-after']).toMatch(/^[1-9]\d*$/)
    expect((await otherProcess.inject({ url: '/api/account', headers })).statusCode).toBe(429)
  })

  test('returns 503 while the database is unreachable', async ({
    app,
    owner,
    api: { expectRejection, startAnotherApp },
  }) => {
    const proxy = await startProxy(app.databaseUrl)
    const otherProcess = await startAnotherApp({ databaseUrl: proxy.url })
    const url = `/api/v1/${owner.key}/shorturl/${CREATE_PATH}.${format}`
    expect((await inject(otherProcess, url)).statusCode).toBe(200)
    proxy.disconnect()
    const reply = await inject(otherProcess, url)
    expectRejection(
      reply,
      503,
      'The service is temporarily unavailable. Please retry later.',
      format,
    )
    expect(reply.headers['retry-after']).toBe('2')
    proxy.restore()
    await expect.poll(async () => (await inject(otherProcess, url)).statusCode).toBe(200)
    await proxy.close()
  })
})

test('a call with a double slash before `api` is accepted', async ({ owner, request }) => {
  const reply = await request({ url: `//api/v1/${owner.key}/shorturl/${CREATE_PATH}.json` })
  expect(reply.json()).toMatchObject({ code: 200 })
  expectHeaders(reply)
})

test('the query of a call is ignored', async ({ api: { call } }) => {
  const reply = await call(`${CREATE_PATH}.json?x=.xml`)
  expect(reply.json()).toMatchObject({ code: 200 })
})

test('every successful reply has the headers of the API', async ({ api: { call } }) => {
  for (const path of [CREATE_PATH, 'list_active_urls'])
    for (const format of ['json', 'xml']) expectHeaders(await call(`${path}.${format}`))
})

test('another process disables a link immediately for visitors', async ({
  make,
  owner,
  api: { call, startAnotherApp },
}) => {
  const otherProcess = await startAnotherApp({})
  const { shortUrl, alias } = await make.link(owner)
  const visit = async () => (await inject(otherProcess, `/${alias}`)).statusCode
  expect(await visit()).toBe(302)
  for (const [operation, visitStatus] of [
    ['disable', 410],
    ['enable', 302],
  ] as const) {
    await call(`${operation}/short_url/${base64(shortUrl)}.json`)
    await expect.poll(visit).toBe(visitStatus)
  }
})

describe('the OpenAPI description', () => {
  test('has the six operations in both formats', async ({ request }) => {
    const { paths } = (await request({ url: '/openapi.json' })).json()
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

  test('has example paths that work', async ({ app, make, owner, request }) => {
    const { shortUrl } = await make.link(owner)
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
    const described = app.contract.operations.filter(({ path }) => path.startsWith('/api/v1/'))
    expect(described).toHaveLength(6)
    for (const { path, parameters } of described) {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
      expect(parameters?.map(({ name }) => name).sort()).toEqual(names.sort())
      const url = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name] ?? ''))
      // `request` compares the reply with its description.
      expect([path, (await request({ url })).statusCode]).toEqual([path, 200])
    }
  })
})
