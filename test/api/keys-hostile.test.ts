import { describe, expect } from 'vitest'
import { buildApp } from '../../src/http/app.ts'
import { countAccounts } from '../../src/identity/account.service.ts'
import { appendChecksum, generateKey, isWellFormedKey } from '../../src/identity/api-key.ts'
import { createOtherProcess } from '../support/app.ts'
import { appTest } from '../support/test.ts'

const test = appTest({ env: { LOG_LEVEL: 'silent', RATE_LIMIT_PER_MINUTE: '30' } }).extend(
  'api',
  { scope: 'file' },
  async ({ app }, { onCleanup }) => {
    const otherServices = await createOtherProcess(app)
    const otherApp = await buildApp(otherServices)
    /** Alternates between two processes on one database. */
    const chooseProcess = (n: number) => (n % 2 ? otherApp : app.fastify)
    onCleanup(async () => {
      await otherApp.close()
      await otherServices.close()
    })
    return { chooseProcess }
  },
)

const form = { host: 'brev.test', 'content-type': 'application/x-www-form-urlencoded' }

describe('guesses are limited across all processes', () => {
  test('for keys to thirty per minute and IP address, over all APIs', async ({
    api: { chooseProcess },
  }) => {
    const statuses = []
    for (let n = 0; n < 50; n += 1) {
      const key = generateKey()
      const path = n % 3 ? '/api/account' : `/api/v1/${key}/shorturl/list_active_urls.json`
      const headers = { host: 'brev.test', authorization: `Bearer ${key}` }
      const reply = await chooseProcess(n).inject({
        url: path,
        headers,
        remoteAddress: '198.51.100.1',
      })
      statuses.push(reply.statusCode)
    }
    expect(statuses).toEqual([...Array(30).fill(401), ...Array(20).fill(429)])
  })

  test('for keys to thirty per minute and IPv6 /64 network', async ({ api: { chooseProcess } }) => {
    const statuses = []
    for (let n = 0; n < 40; n += 1) {
      const headers = { host: 'brev.test', authorization: `Bearer ${generateKey()}` }
      const remoteAddress = `2001:db8:1:1:${n}::1`
      const reply = await chooseProcess(n).inject({ url: '/api/account', headers, remoteAddress })
      statuses.push(reply.statusCode)
    }
    expect(statuses).toEqual([...Array(30).fill(401), ...Array(10).fill(429)])
  })

  test('for keys even with a different forged proxy header each time', async ({
    api: { chooseProcess },
  }) => {
    const statuses = []
    for (let n = 0; n < 40; n += 1) {
      const address = `192.0.2.${n}`
      const headers = {
        host: 'brev.test',
        'x-forwarded-for': address,
        'x-real-ip': address,
        forwarded: `for=${address}`,
      }
      const reply = await chooseProcess(n).inject({
        url: '/api/account',
        headers,
        remoteAddress: '198.51.100.2',
      })
      statuses.push(reply.statusCode)
    }
    expect(statuses).toEqual([...Array(30).fill(401), ...Array(10).fill(429)])
  })

  test('for a link’s password to ten per minute and IP address, including correct guesses', async ({
    make,
    owner,
    api: { chooseProcess },
  }) => {
    const { alias } = await make.link(owner, { password: 'open sesame' })
    const guess = async (n: number, password: string, remoteAddress = '198.51.100.3') => {
      const options = { method: 'POST', url: `/${alias}`, remoteAddress, headers: form } as const
      return (await chooseProcess(n).inject({ ...options, payload: `password=${password}` }))
        .statusCode
    }
    const statuses = []
    for (let n = 0; n < 15; n += 1) statuses.push(await guess(n, `wrong${n}`))
    expect(statuses).toEqual([...Array(10).fill(401), ...Array(5).fill(429)])
    expect(await guess(0, 'open+sesame')).toBe(429)
    expect(await guess(0, 'open+sesame', '198.51.100.4')).toBe(303)
  })

  test('for a link’s password even if they are concurrent', async ({
    make,
    owner,
    api: { chooseProcess },
  }) => {
    const { alias } = await make.link(owner, { password: 'open sesame' })
    const replies = await Promise.all(
      // Ten per process, as many as it has connections, so that none waits for a connection.
      Array.from({ length: 20 }, (_, n) =>
        chooseProcess(n).inject({
          method: 'POST',
          url: `/${alias}`,
          remoteAddress: '198.51.100.5',
          headers: form,
          payload: `password=wrong${n}`,
        }),
      ),
    )
    const statuses = replies.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 429)).toHaveLength(10)
    expect(statuses.filter((status) => status === 401 || status === 503)).toHaveLength(10)
  })
})

test('one IP address can register ten accounts per minute across all processes', async ({
  app,
  request,
  api: { chooseProcess },
}) => {
  const page = await request({ url: '/register' })
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const cookie = page.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
  const register = (n: number, remoteAddress: string) =>
    chooseProcess(n).inject({
      method: 'POST',
      url: '/register',
      remoteAddress,
      headers: { ...form, cookie },
      payload: new URLSearchParams({
        csrf,
        email: `r${n}@example.com`,
        username: `registered${n}`,
        password: 'long enough to do',
      }).toString(),
    })
  const before = await countAccounts(app.services.db)
  const replies = []
  for (let n = 0; n < 13; n += 1) replies.push(await register(n, '198.51.100.6'))
  expect(replies.map(({ statusCode }) => statusCode)).toEqual([
    ...Array(10).fill(303),
    ...Array(3).fill(429),
  ])
  expect(Number(replies.at(-1)?.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  expect(replies.at(-1)?.body).toContain('Too Many Requests')
  expect(await countAccounts(app.services.db)).toBe(before + 10)
  expect((await register(20, '198.51.100.7')).statusCode).toBe(303)
})

/**
 * Keys are looked up by their SHA-256, so response times cannot depend on how much of a key is
 * right. Compares two kinds of wrong keys, 600 each in turns: some share all but one secret
 * character with a valid key, others none. With the Mann-Whitney rank-sum test and a bound of five,
 * a shift of half a standard deviation is detected in more than 99.9% of runs, at a noise of
 * about a tenth of a millisecond per lookup, and chance exceeds the bound in fewer than one run in
 * a million.
 */
test('lookup times do not reveal how much of a key is right', async ({ app, make }) => {
  const { key } = await make.owner()
  const similarKeys: string[] = []
  const differentKeys: string[] = []
  while (similarKeys.length < 600) {
    const wrong = appendChecksum(key.slice(0, -7) + generateKey().at(10))
    if (wrong === key) continue
    similarKeys.push(wrong)
    differentKeys.push(generateKey())
  }
  expect([...similarKeys, ...differentKeys].every(isWellFormedKey)).toBe(true)
  const times: { isSimilar: boolean; durationMs: number }[] = []
  const measure = async (guess: string, isSimilar: boolean, n: number) => {
    // A separate address, because an address over its limit gets faster replies.
    const address = `10.${isSimilar ? 1 : 0}.${n >> 8}.${n & 255}`
    const before = performance.now()
    await app.services.access.check({ key: guess, address })
    times.push({ isSimilar, durationMs: performance.now() - before })
  }
  for (const [n, similarKey] of similarKeys.entries()) {
    const differentKey = differentKeys[n] ?? ''
    const order = n % 2 ? ([true, false] as const) : ([false, true] as const)
    for (const isSimilar of order)
      await measure(isSimilar ? similarKey : differentKey, isSimilar, n)
  }
  expect(Math.abs(rankSumScore(times))).toBeLessThan(5)
})

/** Returns the standardized rank sum of similar keys. Ties are negligible at this resolution. */
function rankSumScore(times: { isSimilar: boolean; durationMs: number }[]): number {
  const ranked = [...times].sort((a, b) => a.durationMs - b.durationMs)
  const sum = ranked.reduce(
    (total, { isSimilar }, rank) => (isSimilar ? total + rank + 1 : total),
    0,
  )
  const n = times.filter(({ isSimilar }) => isSimilar).length
  const m = times.length - n
  const mean = (n * (n + m + 1)) / 2
  return (sum - mean) / Math.sqrt((n * m * (n + m + 1)) / 12)
}
