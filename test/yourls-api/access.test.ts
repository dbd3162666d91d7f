import { beforeEach, describe, expect } from 'vitest'
import { listLinks } from '../../src/links/link-list.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { setSuspended } from '../support/accounts.ts'
import { newAddress } from '../support/addresses.ts'
import { appTest } from '../support/test.ts'
import { asForm, asJson, asMultipart, asQuery } from '../support/yourls.ts'

const lines: string[] = []
const logTo = { write: (line: string) => void lines.push(line) }

const test = appTest({ env: { RATE_LIMIT_PER_MINUTE: '30', LOG_LEVEL: 'trace' }, logTo })

const VERSION_CALL = { action: 'version', format: 'json' }

describe('a call without a valid key', () => {
  test.for([
    ['no credentials', {}, 'Please log in'],
    ['an empty signature', { signature: '' }, 'Please log in'],
    ['a wrong signature', { signature: 'a1b2c3d4e5' }, 'Invalid signature'],
    ['a wrong password', { username: 'me', password: 'x' }, 'Invalid username or password'],
    ['a user name alone', { username: 'me' }, 'Please log in'],
  ] as const)(
    'with %s is rejected as YOURLS does',
    async ([_name, fields, message], { request }) => {
      for (const call of [
        asQuery({ ...VERSION_CALL, ...fields }),
        asForm({ ...VERSION_CALL, ...fields }),
      ]) {
        const reply = await request({ ...call, remoteAddress: newAddress() })
        expect(reply.statusCode).toBe(403)
        expect(reply.json()).toEqual({ status: 'fail', message, errorCode: '403' })
        expect(reply.headers).toMatchObject({
          'x-ratelimit-limit': '30',
          'x-ratelimit-remaining': '29',
          'x-ratelimit-reset': expect.stringMatching(/^\d+$/),
          'cache-control': 'no-store',
          'referrer-policy': 'no-referrer',
        })
      }
    },
  )

  test('gets the reason why timestamped signatures are not supported', async ({ request }) => {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const call = asQuery({
      ...VERSION_CALL,
      timestamp,
      signature: '0123456789abcdef0123456789abcdef',
    })
    const reply = await request({ ...call, remoteAddress: newAddress() })
    expect(reply.statusCode).toBe(403)
    expect(reply.json().message).toBe(
      'Timestamped signatures are not supported, because only a hash of each API key is stored. ' +
        'Send the API key itself as signature, or as password with any username.',
    )
  })

  test('has no effect', async ({ app, request }) => {
    const { db } = app.services.database
    const fields = {
      ...VERSION_CALL,
      action: 'shorturl',
      url: 'https://example.com/',
      keyword: 'unused',
    }
    await request({ ...asForm({ ...fields, signature: 'x' }), remoteAddress: newAddress() })
    const rows = await db.selectFrom('links').select('id').where('alias', '=', 'unused').execute()
    expect(rows).toEqual([])
  })
})

test('a key of a suspended account is rejected with 403', async ({ app, make, request }) => {
  const { account, key } = await make.owner()
  await setSuspended(app.services, account.id, true)
  const reply = await request(asQuery({ ...VERSION_CALL, signature: key }))
  expect(reply.statusCode).toBe(403)
  expect(reply.json().message).toBe('This account has been suspended.')
})

describe('the rate limit', () => {
  test('is shared with the other APIs', async ({ make, request }) => {
    const { key, headers } = await make.owner()
    for (let remaining = 29; remaining >= 0; remaining -= 2) {
      const call = remaining % 4 === 1 ? asQuery : asMultipart
      const viaYourls = await request(call({ ...VERSION_CALL, signature: key }))
      const viaApi = await request({ url: '/api/account', headers })
      expect([viaYourls.statusCode, viaApi.statusCode]).toEqual([200, 200])
      expect(viaYourls.headers['x-ratelimit-remaining']).toBe(String(remaining))
      expect(viaApi.headers['x-ratelimit-remaining']).toBe(String(remaining - 1))
    }
    const reply = await request(asForm({ ...VERSION_CALL, password: key }))
    expect(reply.statusCode).toBe(429)
    expect(reply.headers['retry-after']).toMatch(/^[1-9]\d?$/)
    expect(reply.json()).toEqual({
      status: 'fail',
      message: 'Too Many Requests. Please retry later.',
      errorCode: '429',
    })
  })

  test('counts every rejected call, even with an unreadable body', async ({ request }) => {
    const remoteAddress = newAddress()
    const broken = {
      ...asQuery({ format: 'json' }),
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      payload: '{',
    } as const
    const calls = [
      [asQuery({ ...VERSION_CALL, signature: 'x' }), 403],
      [broken, 400],
      [asForm({ title: 'x'.repeat(70_000) }, { format: 'json' }), 413],
      [{ ...asQuery(VERSION_CALL), method: 'DELETE' } as const, 403],
      [{ ...asQuery(VERSION_CALL), method: 'HEAD' } as const, 403],
    ] as const
    for (const [index, [call, status]] of calls.entries()) {
      const reply = await request({ ...call, remoteAddress })
      expect([reply.statusCode, reply.headers['x-ratelimit-remaining']]).toEqual([
        status,
        String(29 - index),
      ])
    }
    for (let remaining = 24; remaining > 0; remaining -= 1)
      await request({ ...broken, remoteAddress })
    expect((await request({ ...broken, remoteAddress })).statusCode).toBe(400)
    expect((await request({ ...broken, remoteAddress })).statusCode).toBe(429)
  })
})

describe('a call with a key', () => {
  test.for(['DELETE', 'PUT', 'HEAD', 'PATCH'] as const)(
    'is not allowed with the method %s',
    async (method, { make, request }) => {
      const { key } = await make.owner()
      const reply = await request({ ...asQuery({ ...VERSION_CALL, signature: key }), method })
      expect(reply.statusCode).toBe(405)
      expect(reply.headers.allow).toBe('GET, POST')
      expect(reply.headers['x-ratelimit-remaining']).toBe('29')
    },
  )

  test('creates nothing if it is a prefetch', async ({ app, make, request }) => {
    const { account, key } = await make.owner()
    const fields = {
      ...VERSION_CALL,
      action: 'shorturl',
      url: 'https://example.com/',
      signature: key,
    }
    for (const headers of [{ purpose: 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }]) {
      const reply = await request({ ...asQuery(fields), headers })
      expect(reply.statusCode).toBe(405)
    }
    const { total } = await listLinks(scopeOf(app.services, account.id), {
      order: 'date',
      limit: 1,
      offset: 0,
    })
    expect(total).toBe(0)
  })
})

describe('a secret', () => {
  beforeEach(() => {
    lines.length = 0
  })

  test('is neither logged nor returned', async ({ make, request }) => {
    const { key } = await make.owner()
    const title = 'a-private-title'
    const fields = { action: 'shorturl', url: 'https://example.com/', title, format: 'json' }
    const calls = [asQuery, asForm, asMultipart, asJson].flatMap((as) => [
      as({ ...fields, signature: key }),
      as({ ...fields, username: 'me', password: key }),
      as({ ...fields, signature: `${key}x` }),
      as({ ...fields, signature: key, keyword: 'a b' }),
    ])
    for (const call of [
      ...calls,
      { ...asQuery({ signature: key }), url: `//yourls-api.php?signature=${key}` },
      { url: `/yourls-api.php/${key}` },
      { url: `/yourls-api.phpx?signature=${key}` },
      { url: `/yourls-api.php?signature=${key}%zz` },
    ]) {
      const reply = await request(call)
      expect(reply.body).not.toContain(key)
      expect(JSON.stringify(reply.headers)).not.toContain(key)
    }
    const log = lines.join('')
    expect(log).toContain('"path":"/yourls-api.php"')
    expect(log).not.toContain(key.slice(4, 20))
    expect(log).not.toContain(title)
  })

  test('is not logged in case of an internal error', async ({ app, make, request }) => {
    const { key } = await make.owner()
    const { db } = app.services.database
    await db.schema.alterTable('links').renameTo('links_away').execute()
    const fields = { action: 'shorturl', url: 'https://example.com/', format: 'json' }
    const reply = await request(asQuery({ ...fields, signature: key }))
    await db.schema.alterTable('links_away').renameTo('links').execute()
    expect(reply.statusCode).toBe(500)
    expect(reply.json()).toEqual({
      status: 'fail',
      message: 'Something went wrong on our side. Please retry later.',
      errorCode: '500',
    })
    expect(lines.join('')).toContain('a request failed')
    expect(lines.join('')).not.toContain(key)
  })
})
