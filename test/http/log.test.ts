import { describe, expect } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { callLegacyApi } from '../support/legacy-api.ts'
import { sendRaw } from '../support/raw-http.ts'
import { appTest } from '../support/test.ts'
import { asForm } from '../support/yourls.ts'

const PROXY = '10.0.0.1'
const VISITOR = '198.51.100.77'
const RANDOM_ID = /^[\w-]{12}$/

const lines: string[] = []

const test = appTest({
  env: { ACCESS_LOG: 'on', LOG_LEVEL: 'info', TRUST_PROXY: '10.0.0.0/8' },
  logTo: { write: (line) => lines.push(line) },
})
  /** Returns the fields of the log lines about a request. */
  .extend('linesOf', { scope: 'file' }, () => (id: unknown) => {
    return lines.map((line) => JSON.parse(line)).filter(({ requestId }) => requestId === id)
  })
  .extend('alias', { scope: 'file' }, async ({ make, owner }) => (await make.link(owner)).alias)

describe('X-Request-Id', () => {
  test('is on every reply', async ({ app, alias, owner, request }) => {
    const { headers } = owner
    const replies = [
      await request({ url: `/${alias}` }),
      await request({ method: 'HEAD', url: `/${alias}` }),
      await request({ url: '/unknown' }),
      await request({ url: '/unknown/with/slashes' }),
      await request({ url: `/${alias}`, headers: { host: 'unknown.test' } }),
      await request({ method: 'POST', url: `/${alias}`, payload: '{"' }),
      await request({ method: 'DELETE', url: `/${alias}` }),
      await request({ url: '/%zz' }),
      await request({ url: '/api/%zz' }),
      await request({ url: `/${'x'.repeat(50_000)}` }),
      await request({ url: '/api/account', headers }),
      await request({ url: '/api/account' }),
      await request({ url: '/api/unknown', headers }),
      await request({ method: 'DELETE', url: '/api/account', headers }),
      await request({
        method: 'OPTIONS',
        url: '/api/account',
        headers: { origin: 'https://a.test' },
      }),
      await callLegacyApi(app, owner.key, 'list_active_urls.xml'),
      await request(asForm({ action: 'version' })),
      await request({ url: '/console' }),
      await request({ url: '/register' }),
      await request({ url: '/docs' }),
      await request({ url: '/openapi.json' }),
      await request({ url: '/robots.txt' }),
      await request({ url: '/health/ready' }),
      await request({ url: '/metrics', remoteAddress: '127.0.0.1' }),
      await request({ url: '/internal/tls-ask?domain=a.test' }),
    ].map((reply) => ({ status: reply.statusCode, id: reply.headers['x-request-id'] }))
    await app.listen()
    for (const packet of [
      'GET / HTTP/1.1\r\nHost a\r\n\r\n',
      'GET /api/account HTTP/1.1\r\nHost a\r\n\r\n',
      'nonsense\r\n\r\n',
    ]) {
      const [reply] = (await sendRaw(app.port(), packet)).replies
      replies.push({ status: reply?.status ?? 0, id: reply?.headers['x-request-id'] })
    }
    for (const reply of replies) {
      expect(reply).toEqual({ status: reply.status, id: expect.stringMatching(RANDOM_ID) })
    }
    expect(new Set(replies.map(({ id }) => id)).size).toBe(replies.length)
  })

  test.for([
    '7b1f6a3e-58c4-4d0f-9a35-2f0c8a1f1f00',
    '5f1c9a0b7d3e4f6a8b9c0d1e2f3a4b5c',
    'Root=1-67891233-abcdef012345678912345678',
    'x'.repeat(128),
  ])('%s is accepted from a trusted proxy only', async (id, { alias, request }) => {
    const send = async (remoteAddress: string) => {
      const headers = { 'x-request-id': id, 'x-forwarded-for': VISITOR }
      return (await request({ url: `/${alias}`, headers, remoteAddress })).headers['x-request-id']
    }
    expect(await send(PROXY)).toBe(id)
    expect(await send('203.0.113.7')).toMatch(RANDOM_ID)
  })

  test.for([
    ['too long', 'x'.repeat(129)],
    ['empty', ''],
    ['a path', '/api/v1/secret'],
    ['with spaces', 'a b'],
    ['two ids', 'a, b'],
    ['with quotes', 'a"b'],
    ['with markup', '<b>'],
    ['with letters beyond ASCII', 'caf\u00e9'],
    ['an API key', `brv_${'k'.repeat(42)}`],
    ['an API key after other text', `x-BRV_${'k'.repeat(42)}`],
  ])('is replaced if it is %s', async ([_name, id], { alias, linesOf, request }) => {
    const headers = { 'x-request-id': id }
    const reply = await request({ url: `/${alias}`, headers, remoteAddress: PROXY })
    expect(reply.headers['x-request-id']).toMatch(RANDOM_ID)
    expect(linesOf(reply.headers['x-request-id'])).toHaveLength(1)
  })
})

describe('the access log', () => {
  test('has one line per request, with the pattern of its route', async ({
    app,
    alias,
    owner,
    linesOf,
    request,
  }) => {
    const cases = [
      [await request({ url: `/${alias}?secret` }), '/:alias', 302],
      [await request({ url: '/api/url/999999', headers: owner.headers }), '/api/url/:id', 404],
      [
        await callLegacyApi(app, owner.key, 'list_active_urls.json'),
        '/api/v1/:key/shorturl/*',
        200,
      ],
      [await request({ url: `/${owner.key}/x` }), null, 404],
      [await request({ url: `/api/v1/${owner.key}/%zz` }), null, 400],
    ] as const
    for (const [{ headers }, route, status] of cases) {
      const line = { method: 'GET', route, status, durationMs: expect.any(Number) }
      expect(linesOf(headers['x-request-id'])).toEqual([
        expect.objectContaining({ ...line, level: 30, msg: 'request completed' }),
      ])
    }
  })

  test('has malformed requests', async ({ app, linesOf }) => {
    await app.listen()
    const [reply] = (await sendRaw(app.port(), 'nonsense\r\n\r\n')).replies
    expect(linesOf(reply?.headers['x-request-id'])).toEqual([
      expect.objectContaining({ status: 400, reason: 'HPE_INVALID_METHOD' }),
    ])
  })

  test('contains no IP address, alias, query or key', async ({ alias, owner, request }) => {
    await request({ url: `/${alias}?q=${owner.key}`, remoteAddress: VISITOR })
    await request({ url: `/${owner.key}`, remoteAddress: VISITOR })
    const log = lines.filter((line) => line.includes('requestId')).join('')
    for (const secret of [VISITOR, alias, owner.key.slice(4, 20), '127.0.0.1']) {
      expect(log).not.toContain(secret)
    }
  })
})

test('requests are not logged by default', () => {
  expect(readConfig({}).accessLog).toBe(false)
})

test('an error is logged with method, route, status, duration and request id', async ({
  app,
  make,
  linesOf,
  request,
}) => {
  const { headers, key } = await make.owner()
  const { db } = app.services.database
  await db.schema.alterTable('links').renameTo('links_away').execute()
  const payload = { url: 'https://example.com/' }
  const replies = [
    ['/:alias', 'GET', await request({ url: '/not-cached' })],
    [
      '/api/url/add',
      'POST',
      await request({ method: 'POST', url: '/api/url/add', payload, headers }),
    ],
    ['/api/v1/:key/shorturl/*', 'GET', await callLegacyApi(app, key, 'list_active_urls.json')],
  ] as const
  await db.schema.alterTable('links_away').renameTo('links').execute()
  for (const [route, method, reply] of replies) {
    const facts = { method, route, status: reply.statusCode, durationMs: expect.any(Number) }
    expect(reply.statusCode).toBe(500)
    expect(linesOf(reply.headers['x-request-id'])).toEqual([
      expect.objectContaining({ ...facts, level: 50, msg: 'a request failed' }),
      expect.objectContaining({ ...facts, level: 30, msg: 'request completed' }),
    ])
  }
  expect(lines.join('')).not.toContain(key)
})
