import type pg from 'pg'
import { withClient } from './client.ts'
import { isJobSchemaPending, JOB_MIGRATION } from './job-schema.ts'
import { pendingAfter, SchemaMismatch } from './migration-files.ts'
import { awaitTurn, findApplied, findServerVersion } from './pending-migrations.queries.ts'

const NAME = 'migrate'
const OLDEST_SERVER = 150_000

/** A question is over before whoever asks gives up. */
const QUESTION = { connectTimeout: 700, queryTimeout: 1000 }

/**
 * The names of the migrations that the database still lacks, asked over the bare driver.
 *
 * @throws SchemaMismatch if the schema is of another version of the program
 * @throws Error if the server is older than PostgreSQL 15, or says nothing for a second
 */
export function pendingMigrations(databaseUrl: string): Promise<string[]> {
  return withClient({ url: databaseUrl, name: NAME, ...QUESTION }, findPending)
}

/**
 * The same once nobody else is migrating, however long that takes: a start that finds none needs nothing
 * else of what migrates.
 */
export function settledMigrations(databaseUrl: string): Promise<string[]> {
  return withClient({ url: databaseUrl, name: NAME }, async (client) => {
    await awaitTurn(client)
    return findPending(client)
  })
}

/**
 * Refuses a schema that this program does not know; one that lacks something, or that cannot be asked
 * for now, may still come to be right.
 *
 * @throws SchemaMismatch
 */
export async function refuseForeignSchema(databaseUrl: string): Promise<void> {
  await pendingMigrations(databaseUrl).catch((error: unknown) => {
    if (error instanceof SchemaMismatch) throw error
  })
}

async function findPending(client: pg.ClientBase): Promise<string[]> {
  const { version, name } = await findServerVersion(client)
  if (version < OLDEST_SERVER) {
    throw new Error(`PostgreSQL 15 or newer is needed, this server is ${name}.`)
  }
  const pending = await pendingAfter(await findApplied(client))
  const names = pending.map((migration) => migration.name)
  return (await isJobSchemaPending(client)) ? [...names, JOB_MIGRATION] : names
}
