import { sql } from 'kysely'
import { expect } from 'vitest'
import { isWaitingForLock } from '../support/lock-waits.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

test.for([
  {
    name: 'a list',
    method: 'GET',
    url: '/api/urls',
    message:
      'This took longer than allowed. Narrow it down with a filter, a shorter period or a smaller page.',
    retryAfter: undefined,
  },
  {
    name: 'a change',
    method: 'POST',
    url: '/api/url/add',
    message: 'The service is temporarily unavailable. Please retry later.',
    retryAfter: '2',
  },
] as const)(
  '$name that PostgreSQL cancels because it took too long is a 503 with advice that helps',
  async ({ method, url, message, retryAfter }, { app, make, request }) => {
    const { headers } = await make.owner()
    const blocker = await app.services.database.db.startTransaction().execute()
    await sql`lock table links`.execute(blocker)
    const payload = method === 'POST' ? { url: 'https://example.com/' } : undefined
    const replied = request({ method, url, headers, ...(payload && { payload }) })
    const { pool } = app.services.database
    await expect.poll(() => isWaitingForLock(pool), { timeout: 60_000 }).toBe(true)
    // The same error as that of a timeout.
    await pool.query(
      `select pg_cancel_backend(pid) from pg_stat_activity
       where wait_event_type = 'Lock' and datname = current_database()`,
    )
    const reply = await replied
    await blocker.rollback().execute()
    expect(reply.statusCode).toBe(503)
    expect(reply.json()).toEqual({ error: 1, message })
    expect(reply.headers['retry-after']).toBe(retryAfter)
  },
)
