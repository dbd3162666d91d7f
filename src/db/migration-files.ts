import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

const FOLDER = new URL('../../migrations/', import.meta.url)

/** The schema is of another version of the program than this one. */
export class SchemaMismatch extends Error {}

export type Migration = { name: string; text: string; checksum: string }

/** What the database has recorded of a migration that was applied. */
export type AppliedMigration = Pick<Migration, 'name' | 'checksum'>

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

/**
 * The migrations that are still to be applied after those of a database or a backup, in order.
 *
 * @throws SchemaMismatch if this program does not know one of them, or if one has been edited since
 */
export async function pendingAfter(
  applied: readonly AppliedMigration[],
  of = 'database',
): Promise<Migration[]> {
  const known = await readMigrations()
  const checksums = new Map(applied.map(({ name, checksum }) => [name, checksum]))
  for (const { name } of applied) {
    if (!known.some((migration) => migration.name === name)) {
      throw new SchemaMismatch(`The ${of} is newer than this program: it has migration ${name}.`)
    }
  }
  for (const { name, checksum } of known) {
    if (checksums.has(name) && checksums.get(name) !== checksum) {
      throw new SchemaMismatch(`Migration ${name} is not the one this ${of} was created with.`)
    }
  }
  return known.filter(({ name }) => !checksums.has(name))
}
