import { randomBytes } from 'node:crypto'
import { inject, onTestFinished } from 'vitest'
import { migrate } from '../../src/db/migrate.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../../src/db/pool.ts'
import { createDistributedDatabase } from './cluster.ts'
import { createDatabase, dropDatabase } from './databases.ts'
import { createEmptyDatabase } from './empty-database.ts'
import { databaseUrlOf } from './postgres.ts'

export type TestDatabase = Database & { url: string }

/** Timeouts in milliseconds with which no test fails because the machine is busy. */
export const PATIENT = { connectTimeout: 60_000, queryTimeout: 60_000 }

/** Opens a database like a process of the service does, except that it waits for a busy machine. */
export function openPatiently(url: string, options: Partial<DatabaseOptions> = {}): Database {
  return openDatabase({ url, name: 'test', ...PATIENT, ...options })
}

/**
 * Creates a migrated database by cloning the template, which is about twenty times faster than
 * migrating. On a cluster, it creates a distributed database instead. Call `close`, which also drops
 * the database, after the file's tests.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const serverUrl = inject('serverUrl')
  const template = inject('template')
  const name = `${template}_${randomBytes(6).toString('hex')}`
  const workers = inject('workers')
  if (workers.length > 0) await createDistributedDatabase(serverUrl, workers, name)
  else await createDatabase(serverUrl, name, template)
  const url = databaseUrlOf(serverUrl, name)
  const database = openPatiently(url)
  const close = async () => {
    await database.close()
    for (const server of [serverUrl, ...workers]) await dropDatabase(server, name)
  }
  return { ...database, url, close }
}

/** Creates a migrated database with an ICU locale, such as `tr-TR`. Call `close` like above. */
export async function testDatabaseWithLocale(locale: string): Promise<TestDatabase> {
  const { url, drop } = await createEmptyDatabase(
    `encoding 'UTF8' locale 'C' locale_provider icu icu_locale '${locale}'`,
  )
  await migrate(url)
  const database = openPatiently(url)
  const close = async () => {
    await database.close()
    await drop()
  }
  return { ...database, url, close }
}

/** Creates a database for one test, closed at its end. */
export async function databaseForTest(): Promise<TestDatabase> {
  const database = await testDatabase()
  onTestFinished(database.close)
  return database
}
