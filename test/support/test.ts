import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { type TestAppOptions, testApp } from './app.ts'
import { testDatabase } from './database.ts'
import { scratchFolder } from './scratch.ts'

/**
 * Returns a `test` for the real application: `app` with a database per file and optional settings,
 * its `make` and `request`, and `owner`, an account with an API key that all tests of the file use.
 */
export function appTest(options: TestAppOptions = {}) {
  return ownerlessAppTest(options).extend('owner', { scope: 'file' }, ({ make }) => make.owner())
}

/** Like `appTest`, but every test has its own account as `owner`. */
export function newOwnerTest(options: TestAppOptions = {}) {
  return ownerlessAppTest(options).extend('owner', ({ make }) => make.owner())
}

function ownerlessAppTest(options: TestAppOptions) {
  return test
    .extend('options', { scope: 'file' }, () => options)
    .extend('app', { scope: 'file' }, async ({ options }, { onCleanup }) => {
      const app = await testApp(options)
      onCleanup(app.close)
      return app
    })
    .extend('make', { scope: 'file' }, ({ app }) => app.make)
    .extend('request', { scope: 'file' }, ({ app }) => app.request)
}

/** Returns a `test` with a `database` per file and no application. */
export function databaseTest() {
  return test
    .extend('openDatabase', { scope: 'file' }, () => testDatabase)
    .extend('database', { scope: 'file' }, async ({ openDatabase }, { onCleanup }) => {
      const database = await openDatabase()
      onCleanup(database.close)
      return database
    })
}

/** Returns a `test` with a `database` and `account`, the id of an account in it. */
export function accountTest() {
  return databaseTest().extend('account', { scope: 'file' }, async ({ database }) => {
    const { rows } = await database.pool.query<{ id: number }>(
      `insert into accounts (email, username) values ('a@example.com', 'a')
       returning id`,
    )
    return rows[0]?.id ?? 0
  })
}

/** Returns a `test` with a `folder` for files, deleted after the last test of the file. */
export function folderTest() {
  return test
    .extend('prefix', { scope: 'file' }, () => join(scratchFolder(), 'brevis-test-'))
    .extend('folder', { scope: 'file' }, async ({ prefix }, { onCleanup }) => {
      const folder = await mkdtemp(prefix)
      onCleanup(() => rm(folder, { recursive: true, force: true }))
      return folder
    })
}
