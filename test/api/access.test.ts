import { describe, expect } from 'vitest'
import { createAccess } from '../../src/identity/access.ts'
import { listKeys, revokeKey, rotateKey, setKeyExpiration } from '../../src/identity/key.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { setSuspended } from '../support/accounts.ts'
import { newAddress } from '../support/addresses.ts'
import { createOtherProcess } from '../support/app.ts'
import { appTest } from '../support/test.ts'

const test = appTest({ env: { RATE_LIMIT_PER_MINUTE: '30' } })

const KEY_REQUIRED = { error: 1, message: 'A valid API key is required to use this service.' }

describe('a key', () => {
  test.for([
    ['the scheme Bearer', (key: string) => `Bearer ${key}`],
    ['bearer in lowercase and extra spaces', (key: string) => `  bearer   ${key} `],
    ['the scheme Token', (key: string) => `Token ${key}`],
    ['no scheme', (key: string) => key],
  ] as const)('is accepted with %s', async ([_name, formatHeader], { make, request }) => {
    const { key } = await make.owner()
    const reply = await request({
      url: '/api/account',
      headers: { authorization: formatHeader(key) },
    })
    expect(reply.statusCode).toBe(200)
  })

  test.for([
    ['without an Authorization header', undefined],
    ['with an empty Authorization header', ''],
    ['with an unknown key', 'Bearer brv_0000000000000000000000000000000000000abc'],
    ['with bytes that are not a key', 'Bearer \u00ff\u00fe'],
    ['with Basic authentication', 'Basic dXNlcjpwYXNz'],
  ] as const)(
    'is required: a request %s returns 401',
    async ([_name, authorization], { request }) => {
      const reply = await request({
        url: '/api/account',
        remoteAddress: newAddress(),
        headers: authorization === undefined ? {} : { authorization },
      })
      expect(reply.statusCode).toBe(401)
      expect(reply.json()).toEqual(KEY_REQUIRED)
    },
  )

  test('is rejected as soon as it is revoked or expires, or its account is suspended', async ({
    app,
    make,
    request,
  }) => {
    const { account, headers } = await make.owner()
    const readStatus = async () =>
      (await request({ url: '/api/account', headers, remoteAddress: newAddress() })).statusCode
    expect(await readStatus()).toBe(200)
    await setSuspended(app.services, account.id, true)
    expect(await readStatus()).toBe(403)
    await setSuspended(app.services, account.id, false)
    expect(await readStatus()).toBe(200)
    const [first] = await listKeys({ db: app.services.db, accountId: account.id })
    await setKeyExpiration(
      { db: app.services.db, accountId: account.id },
      first?.id ?? 0,
      new Date(Date.now() - 1000),
    )
    expect(await readStatus()).toBe(401)
    await setKeyExpiration({ db: app.services.db, accountId: account.id }, first?.id ?? 0, null)
    expect(await readStatus()).toBe(200)
    await revokeKey(scopeOf(app.services, account.id), first?.id ?? 0)
    expect(await readStatus()).toBe(401)
  })

  test('is stored as a hash together with the time of its last use', async ({
    app,
    make,
    request,
  }) => {
    const { account, key, headers } = await make.owner()
    await request({ url: '/api/account', headers })
    const row = await app.services.database.db
      .selectFrom('api_keys')
      .selectAll()
      .where('account_id', '=', account.id)
      .executeTakeFirstOrThrow()
    expect(JSON.stringify(row)).not.toContain(key)
    expect(row.hash).toHaveLength(32)
    expect(row.last_used_at).toBeInstanceOf(Date)
  })

  test('stays valid next to its replacement during the overlap period of a rotation', async ({
    app,
    make,
    request,
  }) => {
    const { account, headers } = await make.owner()
    const [first] = await listKeys({ db: app.services.db, accountId: account.id })
    const rotated = await rotateKey(scopeOf(app.services, account.id), first?.id ?? 0, 3_600_000)
    for (const authorization of [headers.authorization ?? '', `Bearer ${rotated.key}`]) {
      const reply = await request({ url: '/api/account', headers: { authorization } })
      expect(reply.statusCode).toBe(200)
    }
  })
})

describe('the rate limit', () => {
  test('allows exactly 30 requests per minute and reports the limit in every reply', async ({
    make,
    request,
  }) => {
    const { headers } = await make.owner()
    for (let remaining = 29; remaining >= 0; remaining -= 1) {
      const reply = await request({ url: '/api/account', headers })
      expect(reply.statusCode).toBe(200)
      expect(reply.headers).toMatchObject({
        'x-ratelimit-limit': '30',
        'x-ratelimit-remaining': String(remaining),
      })
    }
    const rejected = await request({ url: '/api/account', headers })
    expect(rejected.statusCode).toBe(429)
    expect(rejected.json()).toEqual({ error: 1, message: 'Too Many Requests. Please retry later.' })
    const reset = Number(rejected.headers['x-ratelimit-reset'])
    const now = Date.now() / 1000
    expect(reset).toBeGreaterThan(now)
    expect(reset).toBeLessThanOrEqual(now + 61)
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(rejected.headers['x-ratelimit-remaining']).toBe('0')
  })

  test('accepts exactly 30 of 100 concurrent requests to two processes', async ({ app, make }) => {
    const { key } = await make.owner()
    const otherProcess = await createOtherProcess(app)
    const checks = Array.from({ length: 100 }, (_, index) =>
      (index % 2 ? otherProcess : app.services).access.check({ key, address: newAddress() }),
    )
    const results = await Promise.all(checks)
    await otherProcess.close()
    expect(results.filter(({ account }) => account)).toHaveLength(30)
    expect(results.filter(({ rejection }) => rejection === 'rate_limited')).toHaveLength(70)
  })

  test('starts a new window a minute after the first request', async ({ app, make, request }) => {
    const { headers } = await make.owner()
    for (let count = 0; count < 31; count += 1) await request({ url: '/api/account', headers })
    const { db } = app.services.database
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
    app.services.access.invalidate()
    const reply = await request({ url: '/api/account', headers })
    expect(reply.headers['x-ratelimit-remaining']).toBe('29')
  })

  test('rejects further requests until the window ends, without reading the database', async ({
    app,
  }) => {
    let now = 1000
    const { db } = app.services.database
    const access = createAccess({
      db,
      limit: 1,
      hashAddress: (address) => `memory ${address}`,
      monotonic: () => now,
    })
    const check = () => access.check({ key: undefined, address: 'a' })
    expect((await check()).rejection).toBe('key_required')
    expect((await check()).rejection).toBe('rate_limited')
    await db.deleteFrom('rate_windows').where('subject', '=', 'address:memory a').execute()
    now += 30_000
    const { rejection, window } = await check()
    expect([rejection, window.remaining]).toEqual(['rate_limited', 0])
    expect(window.retryAfter).toBeGreaterThanOrEqual(29)
    expect(window.retryAfter).toBeLessThanOrEqual(30)
    now += 30_000
    expect((await check()).rejection).toBe('key_required')
  })

  test('counts requests without a valid key per /64 network for IPv6, and stores no address', async ({
    app,
    request,
  }) => {
    const invalidKey = { authorization: 'Bearer brv_nonsense' }
    for (let count = 1; count <= 30; count += 1) {
      const url = '/api/account'
      const remoteAddress = `2001:db8:1:2::${count.toString(16)}`
      const reply = await request({ url, remoteAddress, headers: count % 2 ? invalidKey : {} })
      expect(reply.statusCode).toBe(401)
      expect(reply.headers['x-ratelimit-remaining']).toBe(String(30 - count))
    }
    const sameNetwork = await request({
      url: '/api/account',
      remoteAddress: '2001:db8:1:2:ffff::1',
    })
    expect(sameNetwork.statusCode).toBe(429)
    const otherNetwork = await request({ url: '/api/account', remoteAddress: '2001:db8:1:3::1' })
    expect(otherNetwork.statusCode).toBe(401)
    const stored = await app.services.database.db.selectFrom('rate_windows').selectAll().execute()
    expect(JSON.stringify(stored)).not.toContain('2001:db8')
  })

  test('is reported in replies to preflights, which do not count toward it', async ({
    request,
  }) => {
    const remoteAddress = newAddress()
    const preflight = () =>
      request({
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
    await request({ url: '/api/account', remoteAddress })
    expect((await preflight()).headers['x-ratelimit-remaining']).toBe('29')
  })
})

test.for(['/api', '/api/nothing', '/api/account', '/api/v1/x', '/api/v1/brv_x/create/url/x.json'])(
  'OPTIONS %s needs no key',
  async (url, { request }) => {
    const reply = await request({ method: 'OPTIONS', url, remoteAddress: newAddress() })
    expect(reply.statusCode).toBe(204)
    expect(reply.headers['x-ratelimit-remaining']).toBe('30')
  },
)
