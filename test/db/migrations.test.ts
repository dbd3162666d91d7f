import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { ACCOUNT_TABLES, DISTRIBUTED_TABLES } from '../../src/clicks/storage/distribute.queries.ts'
import { JOB_MIGRATION, JOB_REVISION } from '../../src/db/job-schema.ts'
import { splitStatements } from '../../src/db/migrate.queries.ts'
import { migrate } from '../../src/db/migrate.ts'
import { readMigrations } from '../../src/db/migration-files.ts'
import { listPendingMigrations } from '../../src/db/pending-migrations.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { queryRows } from '../support/filled-database.ts'
import { run } from '../support/postgres.ts'

const files = (await readMigrations()).map(({ name }) => name)
const names = [...files, JOB_MIGRATION]

describe('migrations of an empty database', () => {
  test('are each applied once, in order', async () => {
    const url = await emptyDatabase()
    expect(await listPendingMigrations(url)).toEqual(names)
    expect(await migrate(url)).toEqual(names)
    expect(await listPendingMigrations(url)).toEqual([])
    expect(await migrate(url)).toEqual([])
    const recorded = await queryRows(url, 'select name from migrations order by name')
    expect(recorded).toEqual(files.map((name) => ({ name })))
  })

  test('are each applied once by concurrent programs', async () => {
    const url = await emptyDatabase()
    const applied = await Promise.all([migrate(url), migrate(url), migrate(url)])
    expect(applied.flat()).toEqual(names)
  })

  test('have the same result as single prepared statements, which a cluster requires', async () => {
    const prepared = await emptyDatabase()
    const applied = await emptyDatabase()
    await migrate(applied)
    const client = new pg.Client({ connectionString: prepared })
    await client.connect()
    for (const { text } of await readMigrations()) {
      // Uses the extended protocol, which allows one statement at a time.
      for (const statement of splitStatements(text)) {
        const query = { text: statement, queryMode: 'extended' }
        await client.query(query)
      }
    }
    await client.end()
    const isMigrationRecord = ({ owner }: Record<string, unknown>) => owner === 'migrations'
    const expected = (await readSchema(applied)).filter((part) => !isMigrationRecord(part))
    expect(await readSchema(prepared)).toEqual(expected)
  })

  test('change a distributed table with one action per statement, which a cluster requires', async () => {
    for (const { name, text } of await readMigrations()) {
      for (const statement of splitStatements(text)) {
        const [, table = '', actions = ''] =
          /^\s*alter table (\w+)\s([\s\S]*)$/i.exec(statement.replaceAll(/--.*/g, '')) ?? []
        if (
          ![...DISTRIBUTED_TABLES, ...ACCOUNT_TABLES].some(
            (distributedTable) => distributedTable === table,
          )
        )
          continue
        const outside = actions.replaceAll(/\([^()]*\)/g, '')
        expect(outside, `${name}: ${statement}`).not.toContain(',')
      }
    }
  })

  test('are rolled back on a failure and applied by the next attempt', async () => {
    const url = await emptyDatabase()
    await run(url, ['create table channels (in_the_way text)'])
    await expect(migrate(url)).rejects.toThrow('relation "channels" already exists')
    expect(await listPendingMigrations(url)).toEqual(names)
    await run(url, ['drop table channels'])
    expect(await migrate(url)).toEqual(names)
  })

  test('include the job queue in the revision that this program expects', async () => {
    const url = await emptyDatabase()
    await migrate(url)
    const revision = 'select max(id) as revision from brevis_jobs.migrations'
    expect(await queryRows(url, revision)).toEqual([{ revision: JOB_REVISION }])
    await run(url, ['drop schema brevis_jobs cascade'])
    expect(await listPendingMigrations(url)).toEqual([JOB_MIGRATION])
    expect(await migrate(url)).toEqual([JOB_MIGRATION])
  })
})

describe('migrating rejects', () => {
  test('a database newer than the program', async () => {
    const url = await emptyDatabase()
    await migrate(url)
    await run(url, [`insert into migrations (name, checksum) values ('9999-later', 'x')`])
    const message = 'The database is newer than this program: it has migration 9999-later.'
    await expect(migrate(url)).rejects.toThrow(new Error(message))
    await expect(listPendingMigrations(url)).rejects.toThrow(new Error(message))
  })

  test('a job queue with breaking changes by a newer program', async () => {
    const url = await emptyDatabase()
    await migrate(url)
    await run(url, ['insert into brevis_jobs.migrations (id, breaking) values (998, false)'])
    expect(await listPendingMigrations(url)).toEqual([])
    await run(url, ['insert into brevis_jobs.migrations (id, breaking) values (999, true)'])
    const message = 'The database is newer than this program: its job queue has revision 999.'
    await expect(migrate(url)).rejects.toThrow(new Error(message))
    await expect(listPendingMigrations(url)).rejects.toThrow(new Error(message))
  })

  test('a migration edited after it was applied', async () => {
    const url = await emptyDatabase()
    await migrate(url)
    await run(url, [`update migrations set checksum = 'other' where name = '${names[0]}'`])
    const message = `Migration ${names[0]} differs from the one that this database was created with.`
    await expect(migrate(url)).rejects.toThrow(new Error(message))
  })

  test('a server older than PostgreSQL 15, before changing anything', async () => {
    const url = await emptyDatabase()
    // Overrides a function of the database to simulate an old server.
    await run(url, [
      'create schema old',
      `create function old.current_setting(text) returns text language sql as
       $$ select case $1 when 'server_version_num' then '140011' else '14.11' end $$`,
      `do $$ begin execute format('alter database %I set search_path = old, pg_catalog, public',
       current_database()); end $$`,
    ])
    const message = 'PostgreSQL 15 or newer is required, but this server is 14.11.'
    await expect(migrate(url)).rejects.toThrow(new Error(message))
    expect(await queryRows(url, `select to_regclass('migrations') as found`)).toEqual([
      { found: null },
    ])
  })
})

/** Returns columns, constraints, indexes and triggers, without monthly partitions. */
function readSchema(url: string): Promise<Record<string, unknown>[]> {
  return queryRows(
    url,
    `select * from (
       select table_name as owner, column_name as name,
         concat_ws(' ', data_type, is_nullable, column_default, is_identity) as definition
       from information_schema.columns where table_schema = 'public'
       union all
       select conrelid::regclass::text, conname, pg_get_constraintdef(oid)
       from pg_constraint where connamespace = 'public'::regnamespace
       union all
       select tablename, indexname, indexdef from pg_indexes where schemaname = 'public'
       union all
       select tgrelid::regclass::text, tgname, pg_get_triggerdef(oid)
       from pg_trigger where not tgisinternal and tgrelid in
         (select oid from pg_class where relnamespace = 'public'::regnamespace)
     ) part where owner !~ '^clicks_\\d' order by owner, name, definition`,
  )
}
