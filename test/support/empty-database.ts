import { randomBytes } from 'node:crypto'
import { inject, onTestFinished } from 'vitest'
import { createDatabase, dropDatabase } from './databases.ts'
import { databaseUrlOf } from './postgres.ts'

/** Creates a database without a schema. Drop it after the file's tests. */
export async function createEmptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const serverUrl = inject('serverUrl')
  const name = `${inject('template')}_${randomBytes(6).toString('hex')}`
  await createDatabase(serverUrl, name)
  const drop = () => dropDatabase(serverUrl, name)
  return { url: databaseUrlOf(serverUrl, name), drop }
}

/** Creates a database without a schema for one test, dropped at its end. Returns its URL. */
export async function emptyDatabase(): Promise<string> {
  const { url, drop } = await createEmptyDatabase()
  onTestFinished(drop)
  return url
}
