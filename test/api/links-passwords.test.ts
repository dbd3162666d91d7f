import { describe, expect } from 'vitest'
import { createKey } from '../../src/identity/key.service.ts'
import { scopeOf } from '../../src/scope.ts'
import type { TestApp } from '../support/app.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'

// Uses real hashes: fast ones would take no longer than the statements around them.
const test = appTest({ usesRealHasher: true, env: { RATE_LIMIT_PER_MINUTE: '12' } })

const url = 'https://example.com/target'

const post = (app: TestApp, caller: Owner, path: string, payload: object, key?: string) =>
  app.request({
    method: 'POST',
    url: path,
    headers: { ...caller.headers, ...(key !== undefined && { 'idempotency-key': key }) },
    payload,
  })

const addAll = (app: TestApp, caller: Owner, urls: object[], key?: string) =>
  post(app, caller, '/api/urls/add', { urls }, key)
const protectedUrls = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ url, password: `password ${n}` }))

describe('links with passwords', () => {
  test.for([undefined, 'key'])(
    'of one account hardly delay those of another (Idempotency-Key: %s)',
    async (key, { app }) => {
      const busyOwner = await app.make.owner()
      const otherOwner = await app.make.owner()
      // Warms up connections and statements, which would affect the measurement.
      await Promise.all(protectedUrls(6).map((link) => addAll(app, otherOwner, [link])))
      const order: string[] = []
      const batches = Array.from({ length: 12 }, async (_, n) => {
        const reply = await addAll(app, busyOwner, protectedUrls(2), key && `${key}${n}`)
        expect(reply.json().results).toMatchObject([{ error: 0 }, { error: 0 }])
        order.push('batch')
      })
      // Starts the other account's request when the first batch is done, after all others arrived.
      await Promise.race(batches)
      const finishedBatches = order.length
      const reply = await post(app, otherOwner, '/api/url/add', { url, password: 'mine' }, key)
      order.push('other')
      expect(reply.statusCode).toBe(200)
      await Promise.all(batches)
      // Batches whose passwords are being hashed may still finish first.
      expect(order.indexOf('other') - finishedBatches).toBeLessThanOrEqual(5)
    },
  )

  test('are limited to 20 per request, which still creates its other links', async ({ app }) => {
    const caller = await app.make.owner()
    const reply = await addAll(app, caller, [...protectedUrls(21), { url }], 'many')
    const results: { error: number; message?: string }[] = reply.json().results
    expect(results.map(({ error }) => error)).toEqual([...Array(20).fill(0), 1, 0])
    expect(results[20]?.message).toBe('password may be set for at most 20 links in one request')
  })

  test('are limited per minute across all keys of an account', async ({ app }) => {
    const caller = await app.make.owner()
    const { key } = await createKey(scopeOf(app.services, caller.account.id))
    const callerWithOtherKey = { ...caller, headers: { authorization: `Bearer ${key}` } }
    // Leaves 2 of the 24 passwords that an account may set per minute.
    await app.services.database.pool.query(
      `insert into rate_windows (subject, started_at, hits) values ($1, now(), 22)`,
      [`passwords:${caller.account.id}`],
    )
    const results = (await addAll(app, caller, [...protectedUrls(3), { url }])).json().results
    const message = 'Too Many Requests. Please retry later.'
    expect(results).toMatchObject([{ error: 0 }, { error: 0 }, { error: 1, message }, { error: 0 }])
    const rejected = await post(app, callerWithOtherKey, '/api/url/add', {
      url,
      password: 'one more',
    })
    expect([rejected.statusCode, rejected.json()]).toEqual([429, { error: 1, message }])
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThanOrEqual(1)
    expect(Number(rejected.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect((await post(app, callerWithOtherKey, '/api/url/add', { url })).statusCode).toBe(200)
  })

  test('are hashed once for concurrent repeats of a request', async ({ app }) => {
    const caller = await app.make.owner()
    const replies = await Promise.all(
      Array.from({ length: 9 }, () =>
        post(app, caller, '/api/url/add', { url, password: 'secret' }, 'same'),
      ),
    )
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
    const { rows } = await app.services.database.pool.query(
      'select hits from rate_windows where subject = $1',
      [`passwords:${caller.account.id}`],
    )
    expect(rows).toEqual([{ hits: 1 }])
  })
})
