import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { withConnection } from './connection.ts'
import {
  applyMigration,
  createMigrationTable,
  findServerVersion,
  hasMigrationTable,
  listApplied,
  lockMigrations,
} from './migrate.queries.ts'
import type { Db } from './pool.ts'
import { inTransaction } from './transaction.ts'

const FOLDER = new URL('../../migrations/', import.meta.url)
const NAME = 'migrate'
const OLDEST_SERVER = 150_000
/** A question is over before whoever asks gives up. */
const QUESTION = { connectTimeout: 700, queryTimeout: 1000 }

/** The schema is of another version of the program than this one. */
export class SchemaMismatch extends Error {}

export type Migration = { name: string; text: string; checksum: string }

/**
 * Brings the database to this program's schema: every file of `migrations/` that is not recorded
 * yet, in order, each in a transaction of its own, under an advisory lock, so that programs which
 * start together take turns. Gives the names applied. With `upTo` it ends after that migration.
 *
 * @throws Error if the server is older than PostgreSQL 15, if the schema is newer than this
 *   program, or if a migration that was applied has been edited since.
 */
export async function migrate(
  databaseUrl: string,
  { upTo }: { upTo?: string | undefined } = {},
): Promise<string[]> {
  // Closing the connection also gives the lock back.
  return withConnection({ url: databaseUrl, name: NAME }, async ({ db }) => {
    await lockMigrations(db)
    await refuseOldServer(db)
    await createMigrationTable(db)
    const pending = (await findPending(db)).filter(({ name }) => !upTo || name <= upTo)
    for (const migration of pending) await inTransaction(db, (tx) => applyMigration(tx, migration))
    return pending.map(({ name }) => name)
  })
}

/** The names of the migrations that the database still lacks. Rejects when it says nothing. */
export function pendingMigrations(databaseUrl: string): Promise<string[]> {
  return withConnection({ url: databaseUrl, name: NAME, ...QUESTION }, async ({ db }) => {
    const pending = (await hasMigrationTable(db)) ? await findPending(db) : await readMigrations()
    return pending.map(({ name }) => name)
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

async function findPending(db: Db): Promise<Migration[]> {
  const rows = await listApplied(db)
  const known = await readMigrations()
  const applied = new Map(rows.map((row) => [row.name, row.checksum]))
  for (const { name } of rows) {
    if (!known.some((migration) => migration.name === name)) {
      throw new SchemaMismatch(`The database is newer than this program: it has migration ${name}.`)
    }
  }
  for (const { name, checksum } of known) {
    if (applied.has(name) && applied.get(name) !== checksum) {
      throw new SchemaMismatch(
        `Migration ${name} was changed after it had been applied to this database.`,
      )
    }
  }
  return known.filter(({ name }) => !applied.has(name))
}

/** The migrations that this program knows, in order. */
export async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(FOLDER)).filter((file) => /^\d{4}-.+\.sql$/.test(file)).sort()
  return Promise.all(
    files.map(async (file) => {
      const text = await readFile(new URL(file, FOLDER), 'utf8')
      const checksum = createHash('sha256').update(text).digest('hex')
      return { name: file.replace(/\.sql$/, ''), text, checksum }
    }),
  )
}

async function refuseOldServer(db: Db): Promise<void> {
  const { version, name } = await findServerVersion(db)
  if (version < OLDEST_SERVER) {
    throw new Error(`PostgreSQL 15 or newer is needed, this server is ${name}.`)
  }
}
