import { withConnection } from '../db/connection.ts'
import { isAboutRows } from '../db/errors.ts'
import { migrate } from '../db/migrate.ts'
import { type Migration, readMigrations } from '../db/migration-files.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import { loadTables } from './load.ts'
import { readBackup } from './read-backup.ts'
import type { Header } from './records.ts'
import {
  analyze,
  findMigrationAfter,
  findUse,
  fixFormats,
  hasAccounts,
  lockAccounts,
} from './tables.queries.ts'

export type Restored = {
  madeAt: string
  tables: number
  rows: number
  /** Migrations of this program that the backup did not have yet. */
  migrated: string[]
}

/**
 * Puts a backup into a database that has no accounts: brings it to the schema of the backup, loads
 * every row in one transaction, and then brings it to the schema of this program. The file is read
 * to its end before anything is touched.
 *
 * @throws Error if the file is not a whole backup or newer than this program, or if the database
 *   has accounts, is in use, or has a newer schema than the backup.
 */
export async function restore({
  databaseUrl,
  file,
}: {
  databaseUrl: string
  file: string
}): Promise<Restored> {
  const known = await readMigrations()
  const { header, tables, rows } = await survey(file, known)
  const newest = header.migrations.at(-1)?.name
  const target = { url: databaseUrl, name: 'restore' }
  await withConnection(target, ({ db }) => checkTarget(db, newest))
  await migrate(databaseUrl, { upTo: newest })
  await withConnection(target, async ({ db, copy }) => {
    await inTransaction(db, async (tx) => {
      await fixFormats(tx)
      await lockAccounts(tx)
      await checkTarget(tx, newest)
      await loadTables({ db: tx, copy }, readBackup(file)).catch(sayWhatDoesNotFit)
    })
    await analyze(db)
  })
  const migrated = await migrate(databaseUrl)
  return { madeAt: header.madeAt, tables, rows, migrated }
}

/** For a request these mean that it names what is not there; here it is the file that is wrong. */
function sayWhatDoesNotFit(error: unknown): never {
  if (!(error instanceof Error) || !isAboutRows(error)) throw error
  const message = `The rows of the backup break the rules of the schema: ${error.message}.`
  throw new Error(message, { cause: error })
}

/** Reads the whole file; its migrations are looked at first, because they say what it is. */
async function survey(
  file: string,
  known: readonly Migration[],
): Promise<{ header: Header; tables: number; rows: number }> {
  let header: Header | undefined
  const found = { tables: 0, rows: 0 }
  for await (const part of readBackup(file)) {
    if ('format' in part) {
      checkMigrations(part.migrations, known)
      header = part
    } else if ('rows' in part) {
      found.tables += 1
      found.rows += part.rows
    }
  }
  if (!header) throw new Error(`${file} is empty.`)
  return { header, ...found }
}

function checkMigrations(
  found: Header['migrations'],
  known: readonly Pick<Migration, 'name' | 'checksum'>[],
): void {
  for (const [index, { name, checksum }] of found.entries()) {
    if (known[index]?.name !== name) {
      throw new Error(`The backup is newer than this program: it has migration ${name}.`)
    }
    if (known[index]?.checksum !== checksum) {
      throw new Error(`Migration ${name} was changed after the backup was made.`)
    }
  }
}

/** Refuses a database whose content a restore would destroy, or whose users it would confuse. */
async function checkTarget(db: Db, newest = ''): Promise<void> {
  const { service, schema } = await findUse(db)
  if (service) throw new Error('The service is running. Stop it before a restore.')
  if (!schema) return
  if (await hasAccounts(db)) {
    throw new Error('The database has accounts. Restore into an empty one.')
  }
  const ahead = await findMigrationAfter(db, newest)
  if (ahead) {
    throw new Error(
      `The database has migration ${ahead}, which the backup lacks. Restore into a new one.`,
    )
  }
}
