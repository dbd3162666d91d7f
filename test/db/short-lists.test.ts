import { sql } from 'kysely'
import { expect } from 'vitest'
import { readTotals } from '../../src/clicks/read.ts'
import { findLinks } from '../../src/links/link.queries.ts'
import { listLinks } from '../../src/links/lists/link-list.queries.ts'
import { openPatiently } from '../support/database.ts'
import { appTest } from '../support/test.ts'

/** PostgreSQL uses this many custom plans of a prepared statement before it considers a generic one. */
const CUSTOM_PLANS = 5

const test = appTest().extend('db', async ({ app }, { onCleanup }) => {
  // A single connection, because each has its own prepared statements.
  const database = openPatiently(app.databaseUrl, { max: 1 })
  onCleanup(() => database.close())
  return database.db
})

test('queries for a few links use a generic plan from the sixth execution', async ({
  app,
  make,
  owner,
  db,
}) => {
  const { id } = await make.link(owner)
  await sql`with created as (
      insert into links (account_id, alias, url)
      select ${owner.account.id}, 'many-' || n, 'https://example.com/' from generate_series(1, 5000) n
      returning id
    )
    insert into click_totals (link_id, clicks) select id, 1 from created`.execute(db)
  await sql`analyze links, click_totals`.execute(db)

  for (let round = 0; round < 4 * CUSTOM_PLANS; round += 1) {
    const [link] = await findLinks({ db, accountId: owner.account.id }, app.baseUrl, [id])
    expect(link?.id).toBe(id)
    const page = { limit: 2, offset: 0, order: 'date' } as const
    const { entries } = await listLinks({ db, accountId: owner.account.id }, app.baseUrl, page)
    expect(entries).toHaveLength(2)
    expect((await readTotals(db, [id])).size).toBe(0)
  }
  const { rows } = await sql<{ custom: number; generic: number }>`
    select custom_plans::int as custom, generic_plans::int as generic from pg_prepared_statements
    where statement like '%any(%::bigint[])%' and generic_plans + custom_plans > 1`.execute(db)
  // Four statements match. Links and list entries share one, which thus runs twice per round.
  expect(rows.map(({ custom }) => custom)).toEqual(Array(4).fill(CUSTOM_PLANS))
  expect(rows.map(({ generic }) => generic).toSorted((a, b) => a - b)).toEqual(
    [3, 3, 3, 7].map((times) => times * CUSTOM_PLANS),
  )
})
