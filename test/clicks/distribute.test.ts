import { describe, expect, onTestFinished } from 'vitest'
import { distribute } from '../../src/clicks/import.ts'
import { ACCOUNT_TABLES, DISTRIBUTED_TABLES } from '../../src/clicks/storage/distribute.queries.ts'
import { monthOf } from '../../src/clicks/storage/months.ts'
import { createPartitions } from '../../src/clicks/storage/partitions.ts'
import { migrate } from '../../src/db/migrate.ts'
import type { Database } from '../../src/db/pool.ts'
import { openPatiently } from '../support/database.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { run } from '../support/postgres.ts'
import { databaseTest } from '../support/test.ts'

const test = databaseTest()

test('distributing rejects a database without Citus', async () => {
  const url = await emptyDatabase()
  await migrate(url)
  await expect(distribute(url)).rejects.toThrow(
    new Error('This database has no Citus extension, so its tables cannot be distributed.'),
  )
})

describe('distributed tables', () => {
  test('include all tables of clicks except the totals', async ({ database }) => {
    const { rows } = await database.pool.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'public'::regnamespace
       and relkind in ('r', 'p') and not relispartition and relname ~ '^(click|uncounted)' order by 1`,
    )
    expect(rows.map(({ name }) => name)).toEqual(['click_totals', ...DISTRIBUTED_TABLES].toSorted())
  })

  test.for([
    ...DISTRIBUTED_TABLES.map((table) => [table, 'link_id'] as const),
    ...ACCOUNT_TABLES.map((table) => [table, 'account_id'] as const),
  ] as const)(
    'such as %s have %s in every unique index, and no foreign keys',
    async ([table, column], { database }) => {
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
    },
  )
})

describe('distributing on a cluster', () => {
  test('distributes each table by link or account, and frees its space on the coordinator', async () => {
    const url = await createMockCluster()
    expect(await distribute(url)).toEqual([...DISTRIBUTED_TABLES, ...ACCOUNT_TABLES])
    expect(await readCalls(url)).toEqual([
      'click_days: link_id hash none',
      'click_days: freed',
      'click_details: link_id hash click_days',
      'click_details: freed',
      'click_visitors: link_id hash click_days',
      'click_visitors: freed',
      'clicks: link_id hash click_days',
      'clicks: freed',
      'click_imports: link_id hash click_days',
      'click_imports: freed',
      'uncounted_days: link_id hash click_days',
      'uncounted_days: freed',
      'account_days: account_id hash none',
      'account_days: freed',
      'account_uncounted_days: account_id hash none',
      'account_uncounted_days: freed',
    ])
  })

  test('completes an interrupted run and frees the space of all tables', async () => {
    const url = await createMockCluster()
    await run(url, [
      'alter function citus_mock.truncate_local_data_after_distributing_table rename to away',
    ])
    await expect(distribute(url)).rejects.toThrow(/truncate_local_data.* does not exist/)
    await run(url, [
      'alter function citus_mock.away rename to truncate_local_data_after_distributing_table',
    ])
    const [firstTable, ...otherTables] = [...DISTRIBUTED_TABLES, ...ACCOUNT_TABLES]
    expect(await distribute(url)).toEqual(otherTables)
    expect((await readCalls(url)).slice(0, 3)).toEqual([
      `${firstTable}: link_id hash none`,
      `${firstTable}: freed`,
      'click_details: link_id hash click_days',
    ])
    expect(await distribute(url)).toEqual([])
    expect((await readCalls(url)).slice(-1 - otherTables.length)).toEqual(
      [firstTable, ...otherTables].map((name) => `${name}: freed`),
    )
  })

  test('prepares existing and new partitions of raw clicks for moving shards during writes', async () => {
    const url = await createMockCluster()
    const database = openPatiently(url)
    onTestFinished(database.close)
    const months = [monthOf(Date.UTC(2026, 0, 1)), monthOf(Date.UTC(2026, 1, 1))]
    await createPartitions(database.db, [Number(months[0])])
    // The replica identity is `d` (default) or `f` (full), which lets shards move during writes.
    expect(await readReplicaIdentities(database)).toEqual({ clicks: 'd', clicks_2026_01: 'd' })
    await distribute(url)
    await createPartitions(database.db, months)
    const full = { clicks: 'f', clicks_2026_01: 'f', clicks_2026_02: 'f' }
    expect(await readReplicaIdentities(database)).toEqual(full)
  })

  test('fails without worker nodes', async () => {
    const url = await createMockCluster()
    await run(url, ['delete from citus_mock.pg_dist_node'])
    await expect(distribute(url)).rejects.toThrow(
      new Error('The cluster has no machines yet. Add them with citus_add_node.'),
    )
  })
})

/** Returns the replica identities of `clicks` and its partitions. */
async function readReplicaIdentities({
  pool,
}: Pick<Database, 'pool'>): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string; identity: string }>(
    `select relname as name, relreplident::text as identity from pg_class
     where relkind in ('r', 'p') and relname ~ '^clicks' order by 1`,
  )
  return Object.fromEntries(rows.map(({ name, identity }) => [name, identity]))
}

/**
 * Creates a database with this program's schema and a mock of Citus: tables and functions with the
 * same names and parameters that record their calls.
 */
async function createMockCluster(): Promise<string> {
  const url = await emptyDatabase()
  await migrate(url)
  await run(url, [
    'create schema citus_mock',
    'create table citus_mock.calls (id serial, name text, detail text)',
    `create table citus_mock.pg_extension as select 'citus'::name as extname`,
    'create table citus_mock.pg_dist_node as select true as isactive, true as shouldhaveshards',
    'create table citus_mock.pg_dist_partition (logicalrelid regclass, partmethod "char")',
    `create function citus_mock.create_distributed_table(table_name regclass,
       distribution_column text, distribution_type text default 'hash',
       colocate_with text default 'default', shard_count int default null)
     returns void language sql as
     $$ insert into citus_mock.calls (name, detail)
        select table_name::text, concat_ws(' ', a.attname, distribution_type, colocate_with)
        from pg_attribute a where attrelid = table_name and attname = distribution_column;
        insert into citus_mock.pg_dist_partition values (table_name, 'h') $$`,
    `create function citus_mock.truncate_local_data_after_distributing_table(table_name regclass)
     returns void language sql as
     $$ insert into citus_mock.calls (name, detail) values (table_name::text, 'freed') $$`,
    `do $$ begin execute format('alter database %I set search_path = citus_mock, pg_catalog, public',
       current_database()); end $$`,
  ])
  return url
}

/** Returns the recorded calls of the mock functions, in order. */
async function readCalls(url: string): Promise<string[]> {
  const database = openPatiently(url)
  const { rows } = await database.pool.query('select name, detail from calls order by id')
  await database.close()
  return rows.map(({ name, detail }) => `${name}: ${detail}`)
}
