import { test } from 'vitest'
import { startPrivatePostgres } from './private-postgres.ts'
import { databaseTest } from './test.ts'
import { createWorld } from './world.ts'

/** Returns a `test` for complete installations: `world` with a database per file. */
export function worldTest() {
  return databaseTest().extend('world', { scope: 'file' }, async ({ database }, { onCleanup }) => {
    const world = await createWorld(database.url, { isMigrated: true })
    onCleanup(world.close)
    return world
  })
}

/** Like `worldTest`, with an own server, `postgres`, that tests may kill or freeze. */
export function privateWorldTest() {
  return test
    .extend('makePostgres', { scope: 'file' }, () => startPrivatePostgres)
    .extend('postgres', { scope: 'file' }, async ({ makePostgres }, { onCleanup }) => {
      const postgres = await makePostgres()
      onCleanup(postgres.close)
      return postgres
    })
    .extend('world', { scope: 'file' }, async ({ postgres }, { onCleanup }) => {
      const world = await createWorld(postgres.url)
      onCleanup(world.close)
      return world
    })
}
