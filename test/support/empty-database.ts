import { randomBytes } from 'node:crypto'
import { inject, onTestFinished } from 'vitest'
import { createDatabase, dropDatabase } from './databases.ts'
import { databaseOf } from './postgres.ts'

/** A database without a schema. Drop it when the file's tests are done. */
export async function createEmptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const serverUrl = inject('serverUrl')
  const name = `${inject('template')}_${randomBytes(6).toString('hex')}`
  await createDatabase(serverUrl, name)
  const drop = () => dropDatabase(serverUrl, name)
  return { url: databaseOf(serverUrl, name), drop }
}

/** The same for one test, dropped when it ends; gives its address. */
export async function emptyDatabase(): Promise<string> {
  const { url, drop } = await createEmptyDatabase()
  onTestFinished(drop)
  return url
}
