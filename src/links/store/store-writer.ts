import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { KINDS, type Kind } from '../../db/local-store.ts'
import type { StoredEntry } from './entries.queries.ts'
import type { Position, Replacement } from './feed.ts'
import { openSqlite } from './sqlite.ts'
import { identifyFiles, LINK_INDEXES, readMeta, type StoreMeta, writeMeta } from './store-file.ts'

/** This many rows take a few milliseconds. */
const ROWS = 5000

export type StoreWriter = ReturnType<typeof openWriter>

type Statements = Record<'insert' | 'remove' | 'removeByName', StatementSync>

const CHECK_INTERVAL_MS = 24 * 3_600_000
/** The size of SQLite's page cache for writing: 8 MB. */
const CACHE = 'pragma cache_size = -8000'

/** Opens a store for its follower. Each method is one transaction. */
export function openWriter(path: string) {
  const db = openSqlite(path, { timeoutMs: 5000 })
  // A commit survives the end of the process. After a power loss, the store may be older and
  // catches up.
  db.exec(`pragma journal_mode = wal; pragma synchronous = normal; ${CACHE}`)
  const meta = readMeta(db)
  const statements = new Map(
    KINDS.map((kind) => [
      kind,
      {
        insert: db.prepare(`insert or ignore into ${kind} (id, name, value) values (?, ?, ?)`),
        remove: db.prepare(`delete from ${kind} where id = ?`),
        removeByName: db.prepare(`delete from ${kind} where name = ?`),
      },
    ]),
  )
  const files = identifyFiles(path)
  /** A store that was not closed may be damaged, for example by a power loss. */
  let isCheckDue = meta.isOpen !== 0
  let checkNextRows: (() => boolean) | undefined
  update({ isOpen: 1 })

  function runTransaction(work: () => void): void {
    db.exec('begin immediate')
    try {
      work()
      db.exec('commit')
    } catch (error) {
      // SQLite may already have rolled back, for example on a full disk.
      if (db.isTransaction) db.exec('rollback')
      throw error
    }
  }

  function update(changes: Partial<StoreMeta>): void {
    writeMeta(db, changes)
    Object.assign(meta, changes)
  }

  /** Replaces the entries with these ids, and returns how many more there are. */
  function put(kind: Kind, ids: readonly number[], entries: readonly StoredEntry[]): number {
    const { insert, remove, removeByName } = statements.get(kind) as Statements
    let added = 0
    for (const id of ids) added -= Number(remove.run(id).changes)
    for (const { id, name, value } of entries) {
      if (insert.run(id, name, value).changes === 0) {
        // Another entry had the name. Its own change follows.
        added -= Number(removeByName.run(name).changes)
        insert.run(id, name, value)
      }
      added += 1
    }
    return kind === 'link' ? added : 0
  }

  return {
    path,
    meta: meta as Readonly<StoreMeta>,

    /** Whether the store's files are still in place. */
    isInPlace: (): boolean => files !== undefined && identifyFiles(path) === files,

    /** Adds entries of the initial copy. `copied` is the position of the last one. */
    copy(kind: Kind, entries: readonly StoredEntry[], copied: string): void {
      runTransaction(() => {
        const ids = entries.map(({ id }) => id)
        update({ copied, links: meta.links + put(kind, ids, entries) })
      })
    },

    /** Applies changes, and records that the store has all changes up to a position. */
    replace(replacements: readonly Replacement[], position: Position): void {
      runTransaction(() => {
        let { links } = meta
        for (const { kind, ids, entries } of replacements) links += put(kind, ids, entries)
        update({ position, links, revision: meta.revision + 1 })
      })
    },

    /** Creates the indexes of links. */
    indexLinks(): void {
      for (const statement of LINK_INDEXES) db.exec(statement)
    },

    /** Records that the initial copy is complete. */
    complete(): void {
      update({ copied: '' })
    },

    /** Records that all changes up to a snapshot are applied, and when it was taken. */
    advance(position: Position, currentAt: number): void {
      runTransaction(() => update({ position, currentAt }))
    },

    /**
     * Checks the next rows of the store, once a day and after a crash. Takes a few milliseconds.
     *
     * @throws Error for which `isCorruptionError` is true
     */
    checkNextRows(now: number): void {
      isCheckDue ||= !(now - meta.checkedAt < CHECK_INTERVAL_MS)
      if (!isCheckDue) return
      checkNextRows ??= createStoreCheck(db)
      if (checkNextRows()) return
      checkNextRows = undefined
      isCheckDue = false
      update({ checkedAt: now })
    },

    close(): void {
      try {
        if (!isCheckDue) update({ isOpen: 0 })
      } finally {
        db.close()
      }
    },
  }
}

/**
 * Creates a check of all tables and indexes of a store. Each call reads the next rows and returns
 * whether there are more. Unlike SQLite's own integrity check, which takes seconds for millions of
 * links, it never occupies the process for long.
 *
 * @throws Error for which `isCorruptionError` is true
 */
function createStoreCheck(db: DatabaseSync): () => boolean {
  const parts = KINDS.flatMap((kind) => [
    { kind, key: 'id', first: 0 },
    { kind, key: 'name', first: '' },
    ...(kind === 'link' ? [{ kind, key: 'fold_case(name)', first: '' }] : []),
  ])
  let read: ReturnType<typeof db.prepare> | undefined
  let after: unknown

  return () => {
    const [part] = parts
    if (!part) return false
    read ??= db.prepare(selectNext(part))
    const { last } = read.get((after ?? part.first) as string) as { last: unknown }
    after = last
    if (last === null) {
      parts.shift()
      read = undefined
    }
    return parts.length > 0
  }
}

/** Reads the values of a table as well, including the pages of long ones. */
function selectNext({ kind, key }: { kind: string; key: string }): string {
  const value = key === 'id' ? 'length(value)' : 'null'
  return `select max(key) as last, sum(length) from (
    select ${key} as key, ${value} as length from ${kind} where ${key} > ? order by ${key}
    limit ${ROWS})`
}
