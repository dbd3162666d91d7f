import { sql } from 'kysely'
import { expect } from 'vitest'
import { createFindVisitLinks } from '../../src/links/visit/visit-link.queries.ts'
import { openPatiently } from '../support/database.ts'
import { appTest } from '../support/test.ts'

/** PostgreSQL tries this many custom plans before it uses a generic plan. */
const CUSTOM_PLANS = 5

const test = appTest().extend('db', async ({ app }, { onCleanup }) => {
  // A single connection, because each has its own prepared statements.
  const database = openPatiently(app.databaseUrl, { max: 1 })
  onCleanup(() => database.close())
  return database.db
})

test('one query plan reads any number of uncached links', async ({ app, make, owner, db }) => {
  const { alias } = await make.link(owner)
  // Enough that PostgreSQL prefers different plans for one link and for ten.
  await sql`insert into links (account_id, alias, url)
    select ${owner.account.id}, 'many-' || n, 'https://example.com/' from generate_series(1, 3000) n`.execute(
    db,
  )
  await sql`analyze links`.execute(db)
  const find = createFindVisitLinks(db, app.baseUrl)

  for (let round = 0; round < 4 * CUSTOM_PLANS; round += 1) {
    const knownLink = { domainId: null, alias }
    const [link, unknownLink] = await find([
      knownLink,
      ...(round % 2 ? [{ domainId: null, alias: 'x' }] : []),
    ])
    expect(link?.alias).toBe(alias)
    expect(unknownLink ?? null).toBeNull()
  }
  const { rows } = await sql<{ custom: number; generic: number }>`
    select custom_plans::int as custom, generic_plans::int as generic
    from pg_prepared_statements where statement like '%requested (alias%' and generic_plans + custom_plans > 1`.execute(
    db,
  )
  expect(rows).toEqual([{ custom: CUSTOM_PLANS, generic: 3 * CUSTOM_PLANS }])
})
