import { expect } from 'vitest'
import { readCriteria } from '../../src/links/link-filter.ts'
import { searchLinks } from '../../src/links/lists/search-links.queries.ts'
import { apiClient } from '../support/api-client.ts'
import { openPatiently } from '../support/database.ts'
import { newOwnerTest } from '../support/test.ts'

const MANY = 10_030

const test = newOwnerTest()
  .extend('send', ({ app, owner }) => apiClient({ app, owner }))
  .extend('pretendMany', ({ app, owner }) => {
    /** Creates links, and counts a million more. */
    return async (links: number) => {
      const { pool } = app.services.database
      await pool.query(
        `insert into links (account_id, alias, url)
         select $1::bigint, 'many-' || $1::bigint || '-' || n, 'https://example.com/page'
         from generate_series(1, $2) n`,
        [owner.account.id, links],
      )
      await pool.query(
        `update row_counts set rows = rows + 1000000 where ctid = (
           select ctid from row_counts where kind = 'links' and owner_id = $1 limit 1)`,
        [owner.account.id],
      )
    }
  })

test('an account with more than a million links gets a limited count, and pages that lead on', async ({
  send,
  pretendMany,
}) => {
  await pretendMany(MANY)
  for (const filter of ['q=example', 'status=active', 'q=many-&status=active']) {
    const read = async (page: number) =>
      (await send('GET', `/api/urls?${filter}&limit=1000&page=${page}`)).json().data
    const { urls, ...first } = await read(1)
    expect(urls).toHaveLength(1000)
    expect(first).toEqual({
      result: 10_000,
      perpage: 1000,
      currentpage: 1,
      nextpage: 2,
      maxpage: 10,
      resultCapped: true,
    })
    expect(await read(10)).toMatchObject({ nextpage: 11, maxpage: 11, resultCapped: true })
    const { urls: rest, ...last } = await read(11)
    expect(rest).toHaveLength(30)
    expect(last).toEqual({
      result: MANY,
      perpage: 1000,
      currentpage: 11,
      nextpage: 11,
      maxpage: 11,
    })
  }
  const { data } = (await send('GET', '/api/urls?q=-77-')).json()
  expect(data).toMatchObject({ result: 0, urls: [] })
  expect(data).not.toHaveProperty('resultCapped')
})

test('an account with up to a million links gets an exact count', async ({ app, owner, send }) => {
  await app.services.database.pool.query(
    `insert into links (account_id, alias, url)
     select $1::bigint, 'exact-' || $1::bigint || '-' || n, 'https://example.com/page'
     from generate_series(1, $2) n`,
    [owner.account.id, MANY],
  )
  const { data } = (await send('GET', '/api/urls?q=example')).json()
  expect(data).toMatchObject({ result: MANY, maxpage: 669 })
  expect(data).not.toHaveProperty('resultCapped')
})

test('a search in ranges finds the same links as a search in one statement, and can continue', async ({
  app,
  owner,
  pretendMany,
}) => {
  await pretendMany(3000)
  const { pool } = app.services.database
  await pool.query(`update links set meta_title = 'rare' where account_id = $1 and id % 97 = 0`, [
    owner.account.id,
  ])
  await using database = Object.assign(openPatiently(app.databaseUrl), {
    [Symbol.asyncDispose]: () => Promise.resolve(),
  })
  const find = (beforeId?: number, limits: object = {}) => {
    const criteria = readCriteria({ search: 'rare', beforeId }) ?? {}
    const search = {
      accountId: owner.account.id,
      criteria,
      order: 'date',
      now: new Date(),
    } as const
    return searchLinks(database.db, search, { limit: 1000, offset: 0 }, limits)
  }
  const { rows } = await pool.query<{ id: number }>(
    `select id from links where account_id = $1 and meta_title = 'rare' order by id desc`,
    [owner.account.id],
  )
  const expected = rows.map(({ id }) => id)
  expect(await find(undefined, { oneStatementLinks: 1e9 })).toEqual({
    ids: expected,
    total: expected.length,
  })
  expect(await find(undefined, { rangeLinks: 1000 })).toEqual({
    ids: expected,
    total: expected.length,
  })
  const steps: number[][] = []
  for (let beforeId: number | undefined; ; ) {
    const { ids, readTo, hasMore } = await find(beforeId, { rangeLinks: 1000, budgetMs: 0 })
    steps.push(ids)
    expect(hasMore).toBe(readTo === undefined ? undefined : true)
    if (readTo === undefined) break
    expect(Math.min(...ids)).toBeGreaterThanOrEqual(readTo)
    beforeId = readTo
  }
  // The last step finds that no links are left.
  expect(steps.length).toBe(4)
  expect(steps.flat()).toEqual(expected)
  await database.close()
})
