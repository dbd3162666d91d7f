import { randomBytes } from 'node:crypto'
import { inject, onTestFinished } from 'vitest'
import { createDatabase, dropDatabase } from './databases.ts'
import { databaseUrlOf } from './postgres.ts'

/**
 * Creates a database without a schema, with these options of `create database`. Drop it after the
 * file's tests.
 */
export async function createEmptyDatabase(
  options?: string,
): Promise<{ url: string; drop(): Promise<void> }> {
  const serverUrl = inject('serverUrl')
  const name = `${inject('template')}_${randomBytes(6).toString('hex')}`
  await createDatabase(serverUrl, name, options && 'template0', options)
  const drop = () => dropDatabase(serverUrl, name)
  return { url: databaseUrlOf(serverUrl, name), drop }
}

/**
 * Creates a database without a schema for one test, with these options of `create database`. Drops
 * it at the end of the test. Returns its URL.
 */
export async function emptyDatabase(options?: string): Promise<string> {
  const { url, drop } = await createEmptyDatabase(options)
  onTestFinished(drop)
  return url
}
