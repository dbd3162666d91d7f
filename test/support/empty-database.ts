import { randomBytes } from 'node:crypto'
import { inject, onTestFinished } from 'vitest'
import { databaseOf, run } from './postgres.ts'

/** A database without a schema. Drop it when the file's tests are done. */
export async function createEmptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const serverUrl = inject('serverUrl')
  const name = `${inject('template')}_${randomBytes(6).toString('hex')}`
  await run(serverUrl, [`create database ${name}`])
  const drop = () => run(serverUrl, [`drop database if exists ${name} with (force)`])
  return { url: databaseOf(serverUrl, name), drop }
}

/** The same for one test, dropped when it ends; gives its address. */
export async function emptyDatabase(): Promise<string> {
  const { url, drop } = await createEmptyDatabase()
  onTestFinished(drop)
  return url
}
