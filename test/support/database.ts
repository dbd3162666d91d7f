import { randomBytes } from 'node:crypto'
import { inject, onTestFinished } from 'vitest'
import { type Database, openDatabase } from '../../src/db/pool.ts'
import { createSpreadDatabase } from './cluster.ts'
import { databaseOf, run } from './postgres.ts'

export type TestDatabase = Database & { url: string }

/**
 * A migrated database of its own, cloned from the template: a file-level copy in the server, some
 * twenty times faster than running the migrations. On a cluster they are run, and the tables of clicks
 * spread. Close it when the file's tests are done.
 */
export async function testDatabase(): Promise<TestDatabase> {
  const serverUrl = inject('serverUrl')
  const template = inject('template')
  const name = `${template}_${randomBytes(6).toString('hex')}`
  const workers = inject('workers')
  if (workers.length > 0) await createSpreadDatabase(serverUrl, workers, name)
  else await createFrom(serverUrl, name, template)
  const url = databaseOf(serverUrl, name)
  const database = openDatabase({ url, name: 'test', queryTimeout: 30_000 })
  const close = async () => {
    await database.close()
    for (const server of [serverUrl, ...workers]) {
      await run(server, [`drop database if exists ${name} with (force)`])
    }
  }
  return { ...database, url, close }
}

/** The same for one test: closed when it ends. */
export async function databaseForTest(): Promise<TestDatabase> {
  const database = await testDatabase()
  onTestFinished(database.close)
  return database
}

/** Cloning needs the template to itself for a moment, and the other test files want it as well. */
async function createFrom(serverUrl: string, name: string, template: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await run(serverUrl, [`create database ${name} template ${template}`])
      return
    } catch (error) {
      const busy = (error as { code?: string }).code === '55006'
      if (!busy || attempt === 50) throw error
      await new Promise((resolve) => setTimeout(resolve, 20 * attempt))
    }
  }
}
