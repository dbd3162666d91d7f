import { expect } from 'vitest'
import { countHit } from '../../src/db/rate-window.queries.ts'
import { appTest } from '../support/test.ts'

const test = appTest({ env: { RATE_LIMIT_PER_MINUTE: '3' } }).extend(
  'setClockBack',
  { scope: 'file' },
  ({ app }) => {
    /** Moves all windows as if the database's clock had been set back an hour. */
    return async (): Promise<void> => {
      await app.services.database.pool.query(
        `update rate_windows set started_at = started_at + interval '1 hour'`,
      )
      app.services.access.invalidate()
    }
  },
)

test.beforeEach(({ app }) => app.services.access.invalidate())

test('a key whose rate window starts in the future gets a new window', async ({
  make,
  request,
  setClockBack,
}) => {
  const { headers } = await make.owner()
  const call = () => request({ url: '/api/account', headers })
  for (let count = 0; count < 4; count += 1) await call()
  await setClockBack()
  const reply = await call()
  expect(reply.statusCode).toBe(200)
  expect(reply.headers['x-ratelimit-remaining']).toBe('2')
  expect(Number(reply.headers['x-ratelimit-reset'])).toBeLessThanOrEqual(Date.now() / 1000 + 61)
  expect([(await call()).statusCode, (await call()).statusCode]).toEqual([200, 200])
  expect((await call()).statusCode).toBe(429)
})

test('a preflight reports a full window if the stored one starts in the future', async ({
  request,
  setClockBack,
}) => {
  const remoteAddress = '198.51.100.1'
  await request({ url: '/api/account', remoteAddress })
  await setClockBack()
  const { headers } = await request({ method: 'OPTIONS', url: '/api/account', remoteAddress })
  expect(headers['x-ratelimit-remaining']).toBe('3')
  expect(Number(headers['x-ratelimit-reset'])).toBeLessThanOrEqual(Date.now() / 1000 + 61)
})

test('link password guesses whose rate window starts in the future get a new window', async ({
  app,
  setClockBack,
}) => {
  const { db } = app.services.database
  for (let count = 1; count <= 3; count += 1) {
    expect(await countHit(db, 'guess:1:x')).toMatchObject({ hits: count })
  }
  await setClockBack()
  const { hits, retryAfter } = await countHit(db, 'guess:1:x')
  expect(hits).toBe(1)
  expect(retryAfter).toBeLessThanOrEqual(60)
})

test('the last use of a key is updated even if the stored time is in the future', async ({
  app,
  make,
  request,
}) => {
  const { account, headers } = await make.owner()
  const { db } = app.services.database
  const ahead = new Date(Date.now() + 3_600_000)
  await db.updateTable('api_keys').set({ last_used_at: ahead }).execute()
  await request({ url: '/api/account', headers })
  const { last_used_at } = await db
    .selectFrom('api_keys')
    .select('last_used_at')
    .where('account_id', '=', account.id)
    .executeTakeFirstOrThrow()
  expect(last_used_at?.getTime()).toBeLessThanOrEqual(Date.now())
})
