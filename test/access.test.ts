import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccess } from '../src/accounts/access.ts'
import { createServices } from '../src/services.ts'
import { type TestApp, testApp } from './support/app.ts'

let t: TestApp

beforeAll(async () => {
  t = await testApp({ env: { RATE_LIMIT_PER_MINUTE: '30' } })
})
afterAll(() => t.close())

const KEY_REQUIRED = { error: 1, message: 'A valid API key is required to use this service.' }

/** Every test calls from an address of its own, so that their windows do not mix. */
let addresses = 0
function newAddress(): string {
  addresses += 1
  return `198.51.100.${addresses}`
}

describe('a key', () => {
  test.each([
    ['Bearer', (key: string) => `Bearer ${key}`],
    ['bearer with more spaces', (key: string) => `  bearer   ${key} `],
    ['Token', (key: string) => `Token ${key}`],
    ['no scheme', (key: string) => key],
  ])('is read with %s', async (_name, write) => {
    const { key } = await t.make.owner()
    const reply = await t.request({ url: '/api/account', headers: { authorization: write(key) } })
    expect(reply.statusCode).toBe(200)
  })

  test.each([
    ['none', undefined],
    ['an empty one', ''],
    ['an unknown one', 'Bearer brv_0000000000000000000000000000000000000abc'],
    ['nonsense', 'Bearer \u00ff\u00fe'],
    ['Basic', 'Basic dXNlcjpwYXNz'],
  ])('is required: %s is refused', async (_name, authorization) => {
    const reply = await t.request({
      url: '/api/account',
      remoteAddress: newAddress(),
      headers: authorization === undefined ? {} : { authorization },
    })
    expect(reply.statusCode).toBe(401)
    expect(reply.json()).toEqual(KEY_REQUIRED)
  })

  test('is refused from the next request on when it is revoked, expired or its account suspended', async () => {
    const { account, key, headers } = await t.make.owner()
    const status = async () =>
      (await t.request({ url: '/api/account', headers, remoteAddress: newAddress() })).statusCode
    expect(await status()).toBe(200)
    await t.services.accounts.setSuspended(account.email, true)
    expect(await status()).toBe(403)
    await t.services.accounts.setSuspended(account.email, false)
    expect(await status()).toBe(200)
    const [first] = await t.services.keys.list(account.id)
    await t.services.keys.expire(account.id, first?.id ?? 0, new Date(Date.now() - 1000))
    expect(await status()).toBe(401)
    await t.services.keys.expire(account.id, first?.id ?? 0, null)
    expect(await status()).toBe(200)
    await t.services.keys.revoke(account.id, first?.id ?? 0)
    expect(await status()).toBe(401)
    expect(key).not.toBe('')
  })

  test('is stored as its hash alone, with when it was last used', async () => {
    const { account, key, headers } = await t.make.owner()
    await t.request({ url: '/api/account', headers })
    const row = await t.services.database.db
      .selectFrom('api_keys')
      .selectAll()
      .where('account_id', '=', account.id)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(key)
    expect(row.hash).toHaveLength(32)
    expect(row.last_used_at).toBeInstanceOf(Date)
  })

  test('that is rotated stays valid for the overlap, beside the new one', async () => {
    const { account, headers } = await t.make.owner()
    const [first] = await t.services.keys.list(account.id)
    const rotated = await t.services.keys.rotate(account.id, first?.id ?? 0, 3_600_000)
    for (const authorization of [headers.authorization ?? '', `Bearer ${rotated.key}`]) {
      const reply = await t.request({ url: '/api/account', headers: { authorization } })
      expect(reply.statusCode).toBe(200)
    }
  })
})

describe('the rate limit', () => {
  test('allows 30 requests in a minute, exactly, and shows it on every reply', async () => {
    const { headers } = await t.make.owner()
    for (let left = 29; left >= 0; left -= 1) {
      const reply = await t.request({ url: '/api/account', headers })
      expect(reply.statusCode).toBe(200)
      expect(reply.headers).toMatchObject({
        'x-ratelimit-limit': '30',
        'x-ratelimit-remaining': String(left),
      })
    }
    const refused = await t.request({ url: '/api/account', headers })
    expect(refused.statusCode).toBe(429)
    expect(refused.json()).toEqual({ error: 1, message: 'Too Many Requests. Please retry later.' })
    const reset = Number(refused.headers['x-ratelimit-reset'])
    const now = Date.now() / 1000
    expect(reset).toBeGreaterThan(now)
    expect(reset).toBeLessThanOrEqual(now + 61)
    expect(Number(refused.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(refused.headers['x-ratelimit-remaining']).toBe('0')
  })

  test('lets exactly 30 of 100 simultaneous requests through two processes', async () => {
    const { key } = await t.make.owner()
    const other = await createServices(
      { ...t.services.config, databaseUrl: t.databaseUrl },
      { timeouts: { connectTimeout: 20_000, queryTimeout: 20_000 } },
    )
    const checks = Array.from({ length: 100 }, (_, index) =>
      (index % 2 ? other : t.services).access.check({ key, address: newAddress() }),
    )
    const results = await Promise.all(checks)
    await other.close()
    expect(results.filter(({ account }) => account)).toHaveLength(30)
    expect(results.filter(({ refusal }) => refusal === 'rate_limited')).toHaveLength(70)
  })

  test('opens a new window a minute after the first request', async () => {
    const { key, headers } = await t.make.owner()
    for (let count = 0; count < 31; count += 1) await t.request({ url: '/api/account', headers })
    const { db } = t.services.database
    const { id } = await db
      .selectFrom('api_keys')
      .select('id')
      .orderBy('id', 'desc')
      .executeTakeFirstOrThrow()
    await db
      .updateTable('rate_windows')
      .set({ started_at: new Date(Date.now() - 60_000) })
      .where('subject', '=', `key:${id}`)
      .execute()
    t.services.access.forget()
    const reply = await t.request({ url: '/api/account', headers })
    expect(reply.headers['x-ratelimit-remaining']).toBe('29')
    expect(key).toMatch(/^brv_/)
  })

  test('refuses from memory until the window ends, by the clock that asked', async () => {
    let now = 1000
    const { pool, db } = t.services.database
    const access = createAccess({
      pool,
      limit: 1,
      hashAddress: (address) => `memory ${address}`,
      monotonic: () => now,
    })
    const check = () => access.check({ key: undefined, address: 'a' })
    expect((await check()).refusal).toBe('key_required')
    expect((await check()).refusal).toBe('rate_limited')
    await db.deleteFrom('rate_windows').where('subject', '=', 'address:memory a').execute()
    now += 30_000
    const { refusal, window } = await check()
    expect([refusal, window.remaining]).toEqual(['rate_limited', 0])
    expect(window.retryAfter).toBeGreaterThanOrEqual(29)
    expect(window.retryAfter).toBeLessThanOrEqual(30)
    now += 30_000
    expect((await check()).refusal).toBe('key_required')
  })

  test('counts what has no valid key against the address, an IPv6 one by its /64', async () => {
    const bad = { authorization: 'Bearer brv_nonsense' }
    for (let count = 1; count <= 30; count += 1) {
      const url = '/api/account'
      const remoteAddress = `2001:db8:1:2::${count.toString(16)}`
      const reply = await t.request({ url, remoteAddress, headers: count % 2 ? bad : {} })
      expect(reply.statusCode).toBe(401)
      expect(reply.headers['x-ratelimit-remaining']).toBe(String(30 - count))
    }
    const same = await t.request({ url: '/api/account', remoteAddress: '2001:db8:1:2:ffff::1' })
    expect(same.statusCode).toBe(429)
    const other = await t.request({ url: '/api/account', remoteAddress: '2001:db8:1:3::1' })
    expect(other.statusCode).toBe(401)
    const stored = await t.services.database.db.selectFrom('rate_windows').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain('2001:db8')
  })

  test('is not spent by a preflight, which is told how things stand', async () => {
    const remoteAddress = newAddress()
    const preflight = () =>
      t.request({
        method: 'OPTIONS',
        url: '/api/url/add',
        remoteAddress,
        headers: {
          origin: 'https://app.example',
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type',
        },
      })
    for (let count = 0; count < 3; count += 1) {
      const reply = await preflight()
      expect(reply.statusCode).toBe(204)
      expect(reply.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-headers': 'Authorization, Content-Type, Idempotency-Key',
        'x-ratelimit-remaining': '30',
      })
      expect(reply.headers['access-control-allow-credentials']).toBeUndefined()
    }
    await t.request({ url: '/api/account', remoteAddress })
    expect((await preflight()).headers['x-ratelimit-remaining']).toBe('29')
  })
})

test.each(['/api', '/api/nothing', '/api/account', '/api/v1/x', '/api/v1/brv_x/create/url/x.json'])(
  'OPTIONS %s is answered without a key, whatever it asks',
  async (url) => {
    const reply = await t.request({ method: 'OPTIONS', url, remoteAddress: newAddress() })
    expect(reply.statusCode).toBe(204)
    expect(reply.headers['x-ratelimit-remaining']).toBe('30')
  },
)

describe('every reply under /api carries the envelope and the rate headers', () => {
  const json = { 'content-type': 'application/json' }
  test.each([
    [404, 'GET', '/api', {}, undefined],
    [404, 'GET', '/api/', {}, undefined],
    [404, 'GET', '/api/nothing/here', {}, undefined],
    [404, 'GET', '/api/url/0', {}, undefined],
    [404, 'GET', '/api/url/9007199254740993', {}, undefined],
    [404, 'GET', '/api/url/abc', {}, undefined],
    [405, 'PATCH', '/api/account', {}, undefined],
    [405, 'HEAD', '/api/account', {}, undefined],
    [405, 'DELETE', '/api/url/add', {}, undefined],
    [400, 'GET', '/api/%zz', {}, undefined],
    [400, 'POST', '/api/url/add', json, '{'],
    [400, 'POST', '/api/url/add', json, '[]'],
    [400, 'POST', '/api/url/add', json, 'null'],
    [400, 'POST', '/api/url/add', json, '"text"'],
    [400, 'POST', '/api/url/add', json, ''],
    [413, 'POST', '/api/url/add', json, `{"url":"${'x'.repeat(300_000)}"}`],
    [415, 'POST', '/api/url/add', { 'content-type': 'application/xml' }, '<url/>'],
    [415, 'POST', '/api/url/add', { 'content-type': 'multipart/form-data; boundary=x' }, 'x'],
  ] as const)('%i for %s %s %j', async (status, method, url, headers, payload) => {
    const owner = await t.make.owner()
    const reply = await t.request({
      method,
      url,
      headers: { ...owner.headers, ...headers },
      ...(payload !== undefined && { payload }),
    })
    expect(reply.statusCode).toBe(status)
    expect(reply.headers['x-ratelimit-limit']).toBe('30')
    expect(reply.headers['x-ratelimit-remaining']).toMatch(/^\d+$/)
    expect(reply.headers['x-ratelimit-reset']).toMatch(/^\d{10}$/)
    expect(reply.headers['access-control-allow-origin']).toBe('*')
    if (status === 405) expect(reply.headers.allow).toMatch(/GET|POST/)
    if (method !== 'HEAD') expect(reply.json()).toEqual({ error: 1, message: expect.any(String) })
  })

  test.each([
    ['a header without a colon', 'GET /api/account HTTP/1.1\r\nHost: a\r\nnonsense\r\n\r\n', 400],
    ['no HTTP at all', '\x16\x03\x01\x00\x01\r\n\r\n', 400],
    ['a path with a space', 'GET /api/a b HTTP/1.1\r\nHost: a\r\n\r\n', 400],
    [
      'a header of 100 kB',
      `GET /api/account HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`,
      431,
    ],
    [
      'two lengths',
      'POST /api/url/add HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      400,
    ],
  ])('what the parser refuses: %s', async (_name, packet, status) => {
    await t.listen()
    const socket = connect(t.port(), '127.0.0.1')
    socket.write(packet, 'latin1')
    const reply = await text(socket)
    const [head = '', body = ''] = reply.split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(head.toLowerCase()).toMatch(
      /x-ratelimit-limit: 30\r\nx-ratelimit-remaining: \d+\r\nx-ratelimit-reset: \d{10}/,
    )
    expect(JSON.parse(body)).toEqual({ error: 1, message: expect.any(String) })
  })

  test('200 in any JSON wrapping that old clients use', async () => {
    const { headers } = await t.make.owner()
    const payload = JSON.stringify({ url: 'https://example.com/x' })
    for (const type of ['application/json', 'application/json; charset=utf-8', 'text/plain', '']) {
      const reply = await t.request({
        method: 'POST',
        url: '/api/url/add',
        headers: { ...headers, ...(type && { 'content-type': type }) },
        payload: Buffer.from(payload),
      })
      expect(reply.json()).toMatchObject({ error: 0 })
    }
    const get = await t.request({ url: '/api/account', headers: { ...headers, ...json } })
    expect(get.statusCode).toBe(200)
  })
})
