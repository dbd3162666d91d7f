import { sql } from 'kysely'
import { expect, onTestFinished } from 'vitest'
import { copyValue } from '../../src/db/copy-value.ts'
import { isUnavailable } from '../../src/db/errors.ts'
import { type Database, openDatabase } from '../../src/db/pool.ts'
import { inTransaction } from '../../src/db/transaction.ts'
import { openPatiently } from '../support/database.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { databaseTest } from '../support/test.ts'

const test = databaseTest()

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))

test('copies every byte of a value, even within a transaction', async ({ database: { db } }) => {
  const query = sql`select decode(${sql.lit(EVERY_BYTE.toString('hex'))}, 'hex')`
  expect(await copyValue(db, query)).toEqual(EVERY_BYTE)
  await inTransaction(db, async (tx) => {
    expect(await copyValue(tx, query)).toEqual(EVERY_BYTE)
    expect(await selectOne(tx)).toBe(1)
  })
})

test('copies values that are empty, null (as empty) or larger than a packet', async ({
  database: { db },
}) => {
  expect(await copyValue(db, sql`select ''::bytea`)).toHaveLength(0)
  expect(await copyValue(db, sql`select null::bytea`)).toHaveLength(0)
  const large = await copyValue(db, sql`select convert_to(repeat('abcd', 1000000), 'utf8')`)
  expect(large.equals(Buffer.from('abcd'.repeat(1_000_000)))).toBe(true)
})

test('keeps the connection usable after PostgreSQL rejects a copy', async ({
  database: { db },
}) => {
  await inTransaction(db, async (tx) => {
    await sql`savepoint before`.execute(tx)
    const rejectedCopy = copyValue(
      tx,
      sql`select convert_to(repeat('a', 1 / (n - 2)), 'utf8')
      from generate_series(1, 3) n`,
    )
    await expect(rejectedCopy).rejects.toMatchObject({ code: '22012' })
    await sql`rollback to before`.execute(tx)
    expect(await selectOne(tx)).toBe(1)
  })
})

test('aborts a copy at the statement timeout', async ({ database: { url } }) => {
  const database = open(url)
  // Connecting takes long on a busy machine, which shortens the limit of this process.
  expect(await selectOne(database.db)).toBe(1)
  const slowCopy = copyValue(database.db, sql`select convert_to(pg_sleep(60)::text, 'utf8')`)
  const error = await slowCopy.catch((reason: unknown) => reason)
  expect(error).toMatchObject({ code: '57014' })
  expect(isUnavailable(error)).toBe(true)
  expect(await selectOne(database.db)).toBe(1)
})

test('fails if the server stops responding or disconnects', async ({ database: { url } }) => {
  const proxy = await startProxy(url)
  const database = open(proxy.url)
  onTestFinished(proxy.close)
  const { db, pool } = database
  expect(await selectOne(db)).toBe(1)
  proxy.dropReplies()
  const timeoutError = await copyValue(db, sql`select ''::bytea`).catch((error: unknown) => error)
  expect(isUnavailable(timeoutError)).toBe(true)
  expect(pool.totalCount).toBe(0)
  proxy.restore()
  const freshDatabase = open(proxy.url, 60_000)
  const interruptedCopy = copyValue(
    freshDatabase.db,
    sql`select convert_to(pg_sleep(60)::text, 'utf8')`,
  )
  await expect.poll(() => countRunningCopies(url)).toBe(1)
  proxy.breakConnections()
  expect(isUnavailable(await interruptedCopy.catch((error: unknown) => error))).toBe(true)
  expect(await selectOne(freshDatabase.db)).toBe(1)
})

function open(url: string, queryTimeout = 1000): Database {
  const database = openDatabase({ url, name: 'copies', queryTimeout })
  onTestFinished(database.close)
  return database
}

async function selectOne(db: Database['db']): Promise<number | undefined> {
  const { rows } = await sql<{ one: number }>`select 1 as one`.execute(db)
  return rows[0]?.one
}

/** Returns the number of copies that are running. */
async function countRunningCopies(url: string): Promise<number | undefined> {
  const { db, close } = openPatiently(url)
  try {
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from pg_stat_activity
      where application_name = 'brevis copies' and query like '%pg_sleep%' and state = 'active'
        and datname = current_database()`.execute(db)
    return rows[0]?.count
  } finally {
    await close()
  }
}
