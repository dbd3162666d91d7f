import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

const FOLDER = new URL('../../migrations/', import.meta.url)

/** Thrown if the schema belongs to another version of the program. */
export class SchemaMismatchError extends Error {}

export type Migration = { name: string; text: string; checksum: string }

/** A migration as recorded in the database. */
export type AppliedMigration = Pick<Migration, 'name' | 'checksum'>

/** Returns this program's migrations in order. */
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

/**
 * Returns the migrations that a database or a backup still needs, in order.
 *
 * @throws SchemaMismatchError if one of its applied migrations is unknown to this program or has
 * been edited
 */
export async function listPendingAfter(
  applied: readonly AppliedMigration[],
  source = 'database',
): Promise<Migration[]> {
  const migrations = await readMigrations()
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  for (const { name } of applied) {
    if (!migrations.some((migration) => migration.name === name)) {
      throw new SchemaMismatchError(
        `The ${source} is newer than this program: it has migration ${name}.`,
      )
    }
  }
  for (const { name, checksum } of migrations) {
    if (checksums.has(name) && checksums.get(name) !== checksum) {
      throw new SchemaMismatchError(
        `Migration ${name} differs from the one that this ${source} was created with.`,
      )
    }
  }
  return migrations.filter(({ name }) => !checksums.has(name))
}
