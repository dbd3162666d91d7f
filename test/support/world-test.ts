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
