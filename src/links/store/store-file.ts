import { createHash, randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { KINDS, type Kind } from '../../db/local-store.ts'
import { selectEntries } from './entries.queries.ts'
import { openSqlite } from './sqlite.ts'

/** The metadata of a store. */
export type StoreMeta = {
  /** The format of its entries. A program reads only stores of its own format. */
  format: string
  /** The database from which it was built. See `readSource`. */
  source: string
  /**
   * The instance of the database, which is needed to start while the database is unavailable.
   * `visitorKey` is base64.
   */
  token: string
  visitorKey: string
  /** The snapshot up to which all changes are applied. */
  position: string
  /**
   * The kind and id of the last entry of the initial copy, `UNINDEXED` until links have indexes, or
   * empty once it is complete.
   */
  copied: string
  /** The number of links, updated with every change. */
  links: number
  /** How many times changes were applied. */
  revision: number
  /** The last time at which the store had all changes, in milliseconds of `monotonicTime`. */
  currentAt: number
  /** When the last check of all rows ended, in milliseconds since 1970. */
  checkedAt: number
  /** 1 while a process follows changes, and after it crashed or left a check unfinished. */
  isOpen: 0 | 1
}

const SCHEMA = `
  create table meta (key text primary key, value any) without rowid;
  ${KINDS.map(createTable).join('\n')}`

/**
 * The statements that create the indexes of links, after the initial copy. Adding names to them one
 * by one, in random order, would take ten times as long for millions of links.
 */
export const LINK_INDEXES = [
  'create unique index if not exists link_name on link (name)',
  'create index if not exists link_case on link (fold_case(name))',
]

/** A hash of everything that determines a store's content. */
export const FORMAT = createHash('sha256')
  .update(SCHEMA + LINK_INDEXES + KINDS.map(selectEntries).join())
  .digest('hex')
  .slice(0, 16)

/** The state of a store that has every entry, but no indexes of links. */
export const UNINDEXED = 'unindexed'

const NAME = /^links-[0-9a-f]{16}\.db$/

/** Returns the store's folder within the data folder. */
export function storeFolder(dataDir: string): string {
  return join(dataDir, 'store')
}

/** Returns the path of the store in the folder, if there is one. */
export function findStore(folder: string): string | undefined {
  const name = list(folder).find((file) => NAME.test(file))
  return name && join(folder, name)
}

/**
 * Replaces the store in a folder with an empty one and returns its path. Each store has a unique
 * name, because processes may still read the previous one, and SQLite would mistake its log for
 * that of the new one.
 */
export function createStore(folder: string, meta: StoreMeta): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const name = `links-${randomBytes(8).toString('hex')}.db`
  const path = join(folder, name)
  const draft = join(folder, `new-${name}`)
  for (const file of list(folder)) {
    if (/^(new-|damaged-)?links-/.test(file)) rmSync(join(folder, file), { force: true })
  }
  // SQLite gives its additional files the same mode.
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

/**
 * Moves a damaged store away, so that a new one is built. Does nothing if another process has
 * already moved it.
 */
export function quarantineStore(path: string): void {
  try {
    renameSync(path, path.replace(/links-(?=[^/]*$)/, 'damaged-links-'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** Returns the identity of the files of an open store, or undefined if a file is missing. */
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

/**
 * Returns the milliseconds of a clock that all processes of a machine share. It never goes back
 * while the machine runs.
 */
export function monotonicTime(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1000 + nanoseconds / 1e6
}

function createTable(kind: Kind): string {
  const unique = kind === 'link' ? '' : ' unique'
  return `create table ${kind} (id integer primary key, name text${unique}, value text not null);`
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
