import pg from 'pg'
import { describe, expect, test } from 'vitest'
import { createAccounts } from '../../src/accounts/account.service.ts'
import { createPasswords } from '../../src/accounts/password.ts'
import { checkStatistics } from '../../src/clicks/maintenance/check.ts'
import { ACCOUNT_TABLES, SPREAD_TABLES } from '../../src/clicks/maintenance/distribute.queries.ts'
import { createStatistics } from '../../src/clicks/statistics/statistics.ts'
import { systemClock } from '../../src/clock.ts'
import { migrate } from '../../src/db/migrate.ts'
import { readMigrations } from '../../src/db/migration-files.ts'
import { pendingMigrations } from '../../src/db/pending-migrations.ts'
import { openDatabase } from '../../src/db/pool.ts'
import { splitStatements } from '../../src/db/split-statements.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { FIRST_SCHEMA as FIRST, filledDatabase, rowsOf } from '../support/filled-database.ts'
import { run } from '../support/postgres.ts'

const names = (await readMigrations()).map(({ name }) => name)
/** SHA-256 of the first migration, which databases have applied: what it lacks goes into a new file. */
const FROZEN = 'c47949bd52e5fd5da18c4da2ee544cd0703f0f8d663ec618d425bf8398545df5'

test('0001-schema.sql is frozen', async () => {
  const [first] = await readMigrations()
  expect(first).toMatchObject({ name: FIRST, checksum: FROZEN })
})

describe('from nothing', () => {
  test('every migration is applied once, in order', async () => {
    const url = await emptyDatabase()
    expect(names[0]).toBe(FIRST)
    expect(await pendingMigrations(url)).toEqual(names)
    expect(await migrate(url)).toEqual(names)
    expect(await pendingMigrations(url)).toEqual([])
    expect(await migrate(url)).toEqual([])
    const recorded = await rowsOf(url, 'select name from migrations order by name')
    expect(recorded).toEqual(names.map((name) => ({ name })))
  })

  test.for([
    [[], []],
    [['only'], ['only']],
    [['oldest', 'newer'], []],
  ] as const)('of the accounts %j that were there, %j are made admins', async ([there, admins]) => {
    const url = await emptyDatabase()
    await migrate(url, { upTo: '0012~' })
    for (const name of there) {
      await rowsOf(
        url,
        `insert into accounts (email, username, password_hash) values ('${name}@example.com', '${name}', '')`,
      )
    }
    await migrate(url)
    const found = await rowsOf(url, 'select username from accounts where admin')
    expect(found).toEqual(admins.map((username) => ({ username })))
  })

  test('programs that start together take turns', async () => {
    const url = await emptyDatabase()
    const applied = await Promise.all([migrate(url), migrate(url), migrate(url)])
    expect(applied.flat()).toEqual(names)
  })

  test('each migration is so made that a cluster takes it, one prepared statement after the other', async () => {
    const [prepared, applied] = [await emptyDatabase(), await emptyDatabase()]
    await migrate(applied)
    const client = new pg.Client({ connectionString: prepared })
    await client.connect()
    for (const { text } of await readMigrations()) {
      // By the extended protocol, which takes only one statement at a time.
      for (const statement of splitStatements(text)) {
        const query = { text: statement, queryMode: 'extended' }
        await client.query(query)
      }
    }
    await client.end()
    const record = ({ owner }: Record<string, unknown>) => owner === 'migrations'
    const wanted = (await schemaOf(applied)).filter((part) => !record(part))
    expect(await schemaOf(prepared)).toEqual(wanted)
  })

  test('a table that a cluster spreads is altered in one way by each statement', async () => {
    for (const { name, text } of await readMigrations()) {
      for (const statement of splitStatements(text)) {
        const [, table = '', actions = ''] =
          /^\s*alter table (\w+)\s([\s\S]*)$/i.exec(statement.replaceAll(/--.*/g, '')) ?? []
        if (![...SPREAD_TABLES, ...ACCOUNT_TABLES].some((spread) => spread === table)) continue
        const outside = actions.replaceAll(/\([^()]*\)/g, '')
        expect(outside, `${name}: ${statement}`).not.toContain(',')
      }
    }
  })

  test('a migration that fails leaves nothing of itself, and the next start tries it again', async () => {
    const url = await emptyDatabase()
    await run(url, ['create table channels (in_the_way text)'])
    await expect(migrate(url)).rejects.toThrow('relation "channels" already exists')
    expect(await pendingMigrations(url)).toEqual(names)
    await run(url, ['drop table channels'])
    expect(await migrate(url)).toEqual(names)
  })
})

describe('from a database in use', () => {
  test('the first schema is filled in every table', async () => {
    const url = await filledDatabase()
    for (const table of await tablesOf(url)) {
      expect(await countOf(url, table), table).toBeGreaterThan(0)
    }
  })

  test('each migration after the first applies to it and keeps what people own', async () => {
    const url = await filledDatabase()
    for (const name of names.slice(1)) {
      expect(await migrate(url, { upTo: name })).toEqual([name])
    }
    expect(await migrate(url)).toEqual([])
    await expectContent(url)
  })

  test('all migrations at once apply to it as well', async () => {
    const url = await filledDatabase()
    expect(await migrate(url)).toEqual(names.slice(1))
    await expectContent(url)
  })

  test('countries that were counted by their official names have everyday ones', async () => {
    const url = await filledDatabase()
    const insert = "insert into labels (name) values ('United States of America'), ('Taiwan')"
    await run(url, [insert, "insert into labels (name) values ('Taiwan, Province of China')"])
    const ids = await rowsOf(url, 'select id from labels order by id')
    await migrate(url)
    const found = await rowsOf(url, 'select name from labels order by id')
    expect(found.map(({ name }) => name).slice(-3)).toEqual([
      'United States',
      'Taiwan',
      // Two names cannot become one without counting clicks again.
      'Taiwan, Province of China',
    ])
    expect(await rowsOf(url, 'select id from labels order by id')).toEqual(ids)
  })

  test('they end in the same schema as from nothing', async () => {
    const [grown, fresh] = [await filledDatabase(), await emptyDatabase()]
    await migrate(grown)
    await migrate(fresh)
    expect(await schemaOf(grown)).toEqual(await schemaOf(fresh))
  })
})

describe('refused is', () => {
  test('a database that is newer than the program', async () => {
    const url = await emptyDatabase()
    await migrate(url)
    await run(url, [`insert into migrations (name, checksum) values ('9999-later', 'x')`])
    const message = 'The database is newer than this program: it has migration 9999-later.'
    await expect(migrate(url)).rejects.toThrow(new Error(message))
    await expect(pendingMigrations(url)).rejects.toThrow(new Error(message))
  })

  test('a migration that was edited after it had been applied', async () => {
    const url = await emptyDatabase()
    await migrate(url)
    await run(url, [`update migrations set checksum = 'other' where name = '${FIRST}'`])
    const message = `Migration ${FIRST} was changed after it had been applied to this database.`
    await expect(migrate(url)).rejects.toThrow(new Error(message))
  })

  test('a server older than PostgreSQL 15, before anything is made on it', async () => {
    const url = await emptyDatabase()
    // A function of the database's own that answers as an old server would.
    await run(url, [
      'create schema old',
      `create function old.current_setting(text) returns text language sql as
       $$ select case $1 when 'server_version_num' then '140011' else '14.11' end $$`,
      `do $$ begin execute format('alter database %I set search_path = old, pg_catalog, public',
       current_database()); end $$`,
    ])
    const message = 'PostgreSQL 15 or newer is needed, this server is 14.11.'
    await expect(migrate(url)).rejects.toThrow(new Error(message))
    expect(await rowsOf(url, `select to_regclass('migrations') as found`)).toEqual([
      { found: null },
    ])
  })
})

/** What the program itself reads of the filled database, through the features as they are today. */
async function expectContent(url: string): Promise<void> {
  const database = openDatabase({ url, name: 'test' })
  const { db } = database
  try {
    const accounts = createAccounts({ db, passwords: createPasswords(), clock: systemClock })
    expect(await accounts.byEmail('bert@example.com')).toMatchObject({ id: 2, username: 'Bert' })
    const { clicks, visitors, countries } = await createStatistics({ db }).forLink(1)
    expect({ clicks, visitors, countries }).toEqual({
      clicks: 3,
      visitors: 2,
      countries: [['Germany', 3]],
    })
    expect(await Array.fromAsync(checkStatistics(db))).toEqual([])
    const { rows } = await database.pool.query(`select alias, meta_title from links order by id`)
    expect(rows.map(({ alias }) => alias)).toEqual(['plain', 'plain', 'über-ぶ', 'qrlink1'])
    expect(rows[2]?.meta_title).toBe('😀 \\N')
  } finally {
    await database.close()
  }
}

async function tablesOf(url: string): Promise<string[]> {
  const rows = await rowsOf(
    url,
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition`,
  )
  return rows.map(({ name }) => String(name))
}

async function countOf(url: string, table: string): Promise<number> {
  const [row] = await rowsOf(url, `select count(*)::integer as count from ${table}`)
  return Number(row?.count)
}

/** Columns, constraints, indexes and triggers, without the partitions of single months. */
function schemaOf(url: string): Promise<Record<string, unknown>[]> {
  return rowsOf(
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
       from pg_trigger where not tgisinternal
     ) part where owner !~ '^clicks_\\d' order by owner, name, definition`,
  )
}
