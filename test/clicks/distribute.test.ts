import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ACCOUNT_TABLES,
  distributionOf,
  SPREAD_TABLES,
} from '../../src/clicks/maintenance/distribute.queries.ts'
import { distribute } from '../../src/clicks/maintenance/distribute.ts'
import { openDatabase } from '../../src/db/pool.ts'
import { type TestDatabase, testDatabase } from '../support/database.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { run } from '../support/postgres.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.close())

test('a database without Citus is refused in one line', async () => {
  await expect(distribute(database.url)).rejects.toThrow(
    new Error('This database has no Citus extension, so there is nothing to spread over.'),
  )
})

describe('the tables that are spread', () => {
  test('are those that hold clicks, all of them', async () => {
    const { rows } = await database.pool.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace
       and relkind in ('r', 'p') and not relispartition and relname ~ '^click' order by 1`,
    )
    expect(rows.map(({ name }) => name)).toEqual(SPREAD_TABLES.toSorted())
  })

  test.each([
    ...SPREAD_TABLES.map((table) => [table, 'link_id'] as const),
    ...ACCOUNT_TABLES.map((table) => [table, 'account_id'] as const),
  ])('%s: every unique index holds %s, and no foreign key is tied to it', async (table, column) => {
    const { rows } = await database.pool.query<{ columns: string[] }>(
      `select array(select attname::text from pg_attribute a where attrelid = indrelid
                    and attnum = any(indkey::smallint[]) order by 1) as columns
       from pg_index where indrelid = $1::regclass and indisunique`,
      [table],
    )
    for (const { columns } of rows) expect(columns).toContain(column)
    const keys = await database.pool.query(
      `select from pg_constraint
       where contype = 'f' and $1::regclass in (conrelid, confrelid)`,
      [table],
    )
    expect(keys.rowCount).toBe(0)
  })
})

test('each is spread by its link or its account, and then freed on the coordinator', async () => {
  // Functions of the same names and parameters as those of Citus, which write down their calls.
  const url = await emptyDatabase()
  await run(url, [
    'create table calls (id serial, name text, detail text)',
    `create function create_distributed_table(table_name regclass, distribution_column text,
       distribution_type text default 'hash', colocate_with text default 'default',
       shard_count int default null) returns void language sql as
     $$ insert into calls (name, detail)
        select table_name::text, concat_ws(' ', a.attname, distribution_type, colocate_with)
        from pg_attribute a where attrelid = table_name and attname = distribution_column $$`,
    `create function truncate_local_data_after_distributing_table(table_name regclass)
     returns void language sql as
     $$ insert into calls (name, detail) values (table_name::text, 'freed') $$`,
    ...SPREAD_TABLES.map((table) => `create table ${table} (link_id bigint)`),
    ...ACCOUNT_TABLES.map((table) => `create table ${table} (account_id bigint)`),
    ...[...SPREAD_TABLES, ...ACCOUNT_TABLES].flatMap(distributionOf),
  ])
  const spread = openDatabase({ url, name: 'test' })
  const { rows } = await spread.pool.query('select name, detail from calls order by id')
  await spread.close()
  expect(rows.map(({ name, detail }) => `${name}: ${detail}`)).toEqual([
    'click_totals: link_id hash none',
    'click_totals: freed',
    'click_days: link_id hash click_totals',
    'click_days: freed',
    'click_details: link_id hash click_totals',
    'click_details: freed',
    'click_visitors: link_id hash click_totals',
    'click_visitors: freed',
    'clicks: link_id hash click_totals',
    'clicks: freed',
    'account_days: account_id hash none',
    'account_days: freed',
  ])
})
