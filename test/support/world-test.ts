import { test } from 'vitest'
import { startPrivatePostgres } from './private-postgres.ts'
import { databaseTest } from './test.ts'
import { createWorld } from './world.ts'

/** Tests of whole installations: `world` on a database of its own, for each file one. */
export function worldTest() {
  return databaseTest().extend('world', { scope: 'file' }, async ({ database }, { onCleanup }) => {
    const world = await createWorld(database.url, { existing: true })
    onCleanup(world.close)
    return world
  })
}

/** The same with a `postgres` of the file's own, to do anything to. */
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
