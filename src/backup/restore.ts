import type pg from 'pg'
import { type Migration, migrate, readMigrations } from '../db/migrate.ts'
import { loadTables } from './load.ts'
import { readBackup } from './read-backup.ts'
import type { Header } from './records.ts'
import { begin, inSession } from './session.ts'

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
  await inSession(databaseUrl, 'restore', (client) => checkTarget(client, newest))
  await migrate(databaseUrl, { upTo: newest })
  await inSession(databaseUrl, 'restore', async (client) => {
    await begin(client)
    await client.query(`set local lock_timeout = '10s'`)
    await client.query('lock table accounts in access exclusive mode')
    await checkTarget(client, newest)
    await loadTables(client, readBackup(file))
    await client.query('commit')
    await client.query('analyze')
  })
  const migrated = await migrate(databaseUrl)
  return { madeAt: header.madeAt, tables, rows, migrated }
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
async function checkTarget(client: pg.ClientBase, newest: string | undefined): Promise<void> {
  const { rows } = await client.query<{ service: boolean; schema: boolean }>(
    `select to_regclass('accounts') is not null as schema, exists (
       select from pg_stat_activity where datname = current_database()
       and application_name in ('brevis web', 'brevis importer', 'brevis listen')) as service`,
  )
  if (rows[0]?.service) throw new Error('The service is running. Stop it before a restore.')
  if (!rows[0]?.schema) return
  const filled = await client.query('select from accounts limit 1')
  if (filled.rowCount) throw new Error('The database has accounts. Restore into an empty one.')
  const ahead = await client.query<{ name: string }>(
    'select name from migrations where name > $1 order by name limit 1',
    [newest],
  )
  const [migration] = ahead.rows
  if (migration) {
    throw new Error(
      `The database has migration ${migration.name}, which the backup lacks. Restore into a new one.`,
    )
  }
}
