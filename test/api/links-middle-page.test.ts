import { sql } from 'kysely'
import { expect } from 'vitest'
import { withConnection } from '../../src/db/connection.ts'
import { apiClient } from '../support/api-client.ts'
import { isWaitingForLock } from '../support/lock-waits.ts'
import { appTest } from '../support/test.ts'

const test = appTest({ queryTimeout: 2000 })

test('a page far from both ends may take longer than other requests', async ({ app, owner }) => {
  const { pool } = app.services.database
  const send = apiClient({ app, owner })
  await pool.query(
    `insert into links (account_id, alias, url)
     select $1::bigint, 'deep-' || n, 'https://example.com/page' from generate_series(1, 20) n`,
    [owner.account.id],
  )
  await pool.query(
    `update row_counts set rows = rows + 1000000 where ctid = (
       select ctid from row_counts where kind = 'links' and owner_id = $1 limit 1)`,
    [owner.account.id],
  )
  const blocked = await withConnection({ url: app.databaseUrl, name: 'test' }, async ({ db }) => {
    await sql`begin`.execute(db)
    await sql`lock table links in access exclusive mode`.execute(db)
    const deep = send('GET', '/api/urls?page=500000&limit=1')
    await expect.poll(() => isWaitingForLock(pool), { timeout: 60_000 }).toBe(true)
    const other = await send('GET', '/api/urls?page=2')
    await sql`rollback`.execute(db)
    return { deep, other }
  })
  expect(blocked.other.statusCode).toBe(503)
  const reply = await blocked.deep
  expect(reply.statusCode).toBe(200)
  expect(reply.json().data).toMatchObject({ result: 1_000_020, currentpage: 500_000 })
})
