import { createHash, randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { KINDS } from '../../db/local-store.ts'
import { selectEntries } from './entries.queries.ts'
import { openSqlite } from './sqlite.ts'

/** What a store records about itself. */
export type StoreMeta = {
  /** The format of its entries, so that no program reads those of another version. */
  format: string
  /** The database that it was built from, as `readSource` identifies it. */
  source: string
  /** The instance of that database, for a start while the database is away. `visitorKey` is in base64. */
  token: string
  visitorKey: string
  /** The snapshot of the database up to which all changes are applied. */
  position: string
  /** The kind and id of the entry up to which the first copy has got; empty once it is complete. */
  copied: string
  /** The number of links, which is counted every few seconds. */
  links: number
  /** When the store last had all changes, in milliseconds of `machineTime`. */
  currentAt: number
}

const SCHEMA = `
  create table meta (key text primary key, value any) without rowid;
  ${KINDS.map(
    (kind) =>
      `create table ${kind} (id integer primary key, name text unique, value text not null);`,
  ).join('\n')}`

/** Changes with everything that determines what a store contains. */
export const FORMAT = createHash('sha256')
  .update(SCHEMA + KINDS.map(selectEntries).join())
  .digest('hex')
  .slice(0, 16)

const NAME = /^links-[0-9a-f]{16}\.db$/

/** The folder of the store in the data folder. */
export function storeFolder(dataDir: string): string {
  return join(dataDir, 'store')
}

/** The path of the folder's store, if there is one. */
export function findStore(folder: string): string | undefined {
  const name = list(folder).find((file) => NAME.test(file))
  return name && join(folder, name)
}

/**
 * Replaces the store of a folder by an empty one, and returns its path. Each has a name of its own, because
 * processes may still read the one before it, and SQLite would take that one's log for the new one's.
 */
export function createStore(folder: string, meta: StoreMeta): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const name = `links-${randomBytes(8).toString('hex')}.db`
  const [path, draft] = [join(folder, name), join(folder, `new-${name}`)]
  for (const file of list(folder)) {
    if (/^(new-|damaged-)?links-/.test(file)) rmSync(join(folder, file), { force: true })
  }
  // SQLite gives the files that it puts beside it the same mode.
  closeSync(openSync(draft, 'wx', 0o600))
  const db = openSqlite(draft)
  try {
    db.exec(`pragma journal_mode = wal; ${SCHEMA}`)
    writeMeta(db, meta)
  } finally {
    db.close()
  }
  renameSync(draft, path)
  return path
}

/** Moves a damaged store away, so that a new one is built. Does nothing if another process has done so. */
export function setAside(path: string): void {
  try {
    renameSync(path, path.replace(/links-(?=[^/]*$)/, 'damaged-links-'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Identifies the files of an open store; undefined if one is missing. */
export function identifyFiles(path: string): string | undefined {
  const files = [path, `${path}-wal`, `${path}-shm`]
  const stats = files.map((file) => statSync(file, { throwIfNoEntry: false }))
  return stats.every((found) => found) ? stats.map((found) => found?.ino).join() : undefined
}

export function readMeta(db: DatabaseSync): StoreMeta {
  const rows = db.prepare('select key, value from meta').all()
  return Object.fromEntries(rows.map(({ key, value }) => [key, value])) as StoreMeta
}

export function writeMeta(db: DatabaseSync, meta: Partial<StoreMeta>): void {
  const write = db.prepare('insert or replace into meta (key, value) values (?, ?)')
  for (const [key, value] of Object.entries(meta)) write.run(key, value)
}

/** Milliseconds of a clock that all processes of a machine share and that is never set back while it runs. */
export function machineTime(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
