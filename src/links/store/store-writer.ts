import { KINDS, type Kind } from '../../db/local-store.ts'
import type { StoredEntry } from './entries.queries.ts'
import type { Replacement } from './feed.ts'
import { openSqlite } from './sqlite.ts'
import { identifyFiles, readMeta, type StoreMeta, writeMeta } from './store-file.ts'

export type StoreWriter = ReturnType<typeof openWriter>

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
        put: db.prepare(`insert or replace into ${kind} (id, name, value) values (?, ?, ?)`),
        remove: db.prepare(`delete from ${kind} where id = ?`),
      },
    ]),
  )
  const files = identifyFiles(path)

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

  return {
    path,
    meta: meta as Readonly<StoreMeta>,

    /** Whether the store's files are still in place. */
    isInPlace: (): boolean => files !== undefined && identifyFiles(path) === files,

    /** Adds entries of the initial copy. `copied` is the position of the last one. */
    copy(kind: Kind, entries: readonly StoredEntry[], copied: string): void {
      const put = statements.get(kind)?.put
      runTransaction(() => {
        for (const { id, name, value } of entries) put?.run(id, name, value)
        update({ copied })
      })
    },

    replace(replacements: readonly Replacement[]): void {
      runTransaction(() => {
        for (const { kind, ids, entries } of replacements) {
          const statement = statements.get(kind)
          const existingIds = new Set(entries.map(({ id }) => id))
          for (const id of ids) if (!existingIds.has(id)) statement?.remove.run(id)
          for (const { id, name, value } of entries) statement?.put.run(id, name, value)
        }
        update({ revision: meta.revision + 1 })
      })
    },

    /** Records that all changes up to a snapshot are applied. */
    advance(position: string, currentAt: number): void {
      runTransaction(() => update({ position, currentAt }))
    },

    /** Recounts the links with a full scan. */
    countLinks(): void {
      const links = Number(db.prepare('select count(*) as links from link').get()?.links)
      if (links !== meta.links) runTransaction(() => update({ links }))
    },

    /**
     * Returns whether SQLite's integrity check passes. It takes about a second for a million links.
     */
    isIntact: (): boolean =>
      Object.values(db.prepare('pragma quick_check(1)').get() ?? {})[0] === 'ok',

    close(): void {
      db.close()
    },
  }
}
