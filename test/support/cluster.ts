import { distribute } from '../../src/clicks/import.ts'
import { withClient } from '../../src/db/client.ts'
import { migrate } from '../../src/db/migrate.ts'
import { databaseUrlOf, run } from './postgres.ts'

/** Shards per table: the minimum for testing several. */
const SHARDS = 4

/**
 * Creates a migrated database that is distributed over a cluster. A template cannot be cloned here,
 * because each machine has a database with this name.
 */
export async function createDistributedDatabase(
  serverUrl: string,
  workers: readonly string[],
  name: string,
): Promise<void> {
  for (const worker of workers) {
    await run(worker, [`create database ${name}`])
    await run(databaseUrlOf(worker, name), ['create extension citus'])
  }
  await run(serverUrl, [
    `create database ${name}`,
    `alter database ${name} set citus.shard_count = ${SHARDS}`,
  ])
  const url = databaseUrlOf(serverUrl, name)
  await withServerLock(serverUrl, () =>
    run(url, [
      'create extension citus',
      `select citus_set_coordinator_host(${nodeArguments(serverUrl)})`,
      ...workers.map((worker) => `select citus_add_node(${nodeArguments(worker)})`),
    ]),
  )
  await migrate(url)
  await distribute(url)
}

/**
 * Runs `work` while no other test file does. Each new node receives all roles of the server, which
 * two databases cannot send concurrently.
 */
async function withServerLock(serverUrl: string, work: () => Promise<void>): Promise<void> {
  await withClient({ url: serverUrl, name: 'test' }, async (client) => {
    await client.query('select pg_advisory_lock(1)')
    await work()
  })
}

function nodeArguments(server: string): string {
  const { hostname, port } = new URL(server)
  return `'${hostname}', ${port || 5432}`
}
