import { describe, expect } from 'vitest'
import { createAccess } from '../../src/identity/access.ts'
import { generateKey } from '../../src/identity/api-key.ts'
import { listKeys, revokeKey } from '../../src/identity/key.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { newAddress } from '../support/addresses.ts'
import type { TestApp } from '../support/app.ts'
import { countStatements } from '../support/counted-db.ts'
import { appTest } from '../support/test.ts'

const test = appTest({ env: { RATE_LIMIT_PER_MINUTE: '30' } })

/** Creates an access check, and counts its statements and how many of them ran concurrently. */
function createCountedAccess(app: TestApp) {
  const { db, statistics } = countStatements(app.services.database.db)
  const access = createAccess({ db, limit: 30, hashAddress: (address) => `counted ${address}` })
  return { access, statistics }
}

describe('well-formed but unknown keys', () => {
  test('are looked up in batches per IP address, one statement at a time', async ({ app }) => {
    const { access, statistics } = createCountedAccess(app)
    const address = newAddress()
    const results = await Promise.all(
      Array.from({ length: 2000 }, () => access.check({ key: generateKey(), address })),
    )
    const rejections = results.map(({ rejection }) => rejection)
    expect(rejections).toEqual([
      ...Array(30).fill('key_required'),
      ...Array(1970).fill('rate_limited'),
    ])
    expect(results.slice(0, 30).map(({ window }) => window.remaining)).toEqual(
      Array.from({ length: 30 }, (_, n) => 29 - n),
    )
    expect(new Set(results.map(({ window }) => window.reset)).size).toBe(1)
    expect(statistics.maxConcurrent).toBe(1)
    expect(statistics.statements).toBeLessThanOrEqual(4)
  })

  test('are rejected without a statement once their IP address is over the limit', async ({
    app,
  }) => {
    const { access, statistics } = createCountedAccess(app)
    const address = newAddress()
    for (let n = 0; n < 31; n += 1) await access.check({ key: generateKey(), address })
    const before = statistics.statements
    for (const key of [generateKey(), generateKey(), 'brv_nonsense', undefined]) {
      const { rejection, window } = await access.check({ key, address })
      expect([rejection, window.remaining]).toEqual(['rate_limited', 0])
      expect(window.retryAfter).toBeGreaterThanOrEqual(1)
    }
    expect(statistics.statements).toBe(before)
  })

  test('do not affect a valid key from the same IP address', async ({ app }) => {
    const { headers } = await app.make.owner()
    const remoteAddress = newAddress()
    const call = (headers: Record<string, string>) =>
      app.request({ url: '/api/account', headers, remoteAddress })
    expect((await call(headers)).statusCode).toBe(200)
    const flood = await Promise.all(
      Array.from({ length: 60 }, () => call({ authorization: `Bearer ${generateKey()}` })),
    )
    const statuses = flood.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 401)).toHaveLength(30)
    expect(statuses.filter((status) => status === 429)).toHaveLength(30)
    const reply = await call(headers)
    expect([reply.statusCode, reply.headers['x-ratelimit-remaining']]).toEqual([200, '28'])
  })

  test('are distinguished from concurrent valid keys', async ({ app }) => {
    const owners = [await app.make.owner(), await app.make.owner(), await app.make.owner()]
    const remoteAddress = newAddress()
    const createUnknownKeyHeaders = () => ({ authorization: `Bearer ${generateKey()}` })
    const headersOfCalls = owners.flatMap(({ headers }) => [
      createUnknownKeyHeaders(),
      headers,
      {},
      headers,
    ])
    const replies = await Promise.all(
      headersOfCalls.map((headers) => app.request({ url: '/api/account', headers, remoteAddress })),
    )
    expect(replies.map(({ statusCode }) => statusCode)).toEqual(
      owners.flatMap(() => [401, 200, 401, 200]),
    )
    const readRemaining = (offset: number) =>
      replies
        .filter((_, n) => n % 2 === offset)
        .map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    expect(readRemaining(0).toSorted()).toEqual([24, 25, 26, 27, 28, 29])
    expect(readRemaining(1).toSorted()).toEqual([28, 28, 28, 29, 29, 29])
  })

  test('count toward the limit even if they were valid until recently', async ({ app }) => {
    const { account, headers } = await app.make.owner()
    const remoteAddress = newAddress()
    const call = () => app.request({ url: '/api/account', headers, remoteAddress })
    expect((await call()).statusCode).toBe(200)
    const [key] = await listKeys({ db: app.services.db, accountId: account.id })
    await revokeKey(scopeOf(app.services, account.id), key?.id ?? 0)
    const rejected = await call()
    expect([rejected.statusCode, rejected.headers['x-ratelimit-remaining']]).toEqual([401, '29'])
    expect((await call()).headers['x-ratelimit-remaining']).toBe('28')
  })
})
