import type { Entry, Kind } from '../../db/local-store.ts'
import { KINDS } from '../../db/local-store.ts'
import { foldCase } from '../../text.ts'
import { listColumns, type StoredEntry } from './entries.queries.ts'
import { openSqlite } from './sqlite.ts'
import { readMeta } from './store-file.ts'

export type OpenStore = ReturnType<typeof openForReading>

/**
 * Milliseconds for which a lookup waits while SQLite recovers its log after the follower was
 * killed.
 */
const BUSY_TIMEOUT_MS = 50
/** The character after the slash, which ends the range of names that start with `12/`. */
const AFTER_SLASH = '0'

/** Opens a store file for lookups. */
export function openForReading(path: string) {
  const db = openSqlite(path, { readOnly: true, timeoutMs: BUSY_TIMEOUT_MS })
  const meta = readMeta(db)
  const currentAt = db.prepare(`select value from meta where key = 'currentAt'`)
  const revision = db.prepare(`select value from meta where key = 'revision'`)
  const linkIndex = db.prepare(`select 1 from sqlite_schema where name = 'link_name'`)
  let isIndexed = false
  const linkInAnyCase = db.prepare('select 1 from link where fold_case(name) = ? limit 1')
  const statements = Object.fromEntries(KINDS.map((kind) => [kind, prepare(kind)])) as Record<
    Kind,
    ReturnType<typeof prepare>
  >

  function prepare(kind: Kind) {
    const select = `select id, name, value from ${kind}`
    return {
      byId: db.prepare(`${select} where id = ?`),
      byName: db.prepare(`${select} where name = ?`),
      all: db.prepare(select),
      between: db.prepare(`${select} where id > ? and id <= ?`),
      inGroup: db.prepare(`${select} where name >= ? and name < ?`),
      nulls: Object.fromEntries(listColumns(kind).map((column) => [column, null])),
    }
  }

  function toEntry(kind: Kind, row: unknown): Entry {
    const { id, name, value } = row as StoredEntry
    return { id, name, value: { ...statements[kind].nulls, ...JSON.parse(value) } }
  }

  return {
    path,
    meta,
    readMeta: () => readMeta(db),
    readCurrentAt: () => currentAt.get()?.value as number,
    readRevision: () => revision.get()?.value as number,
    isComplete: () => readMeta(db).copied === '',

    get(kind: Kind, id: number): Entry | undefined {
      const row = statements[kind].byId.get(id)
      return row && toEntry(kind, row)
    },

    find(kind: Kind, name: string): Entry | undefined {
      // Without the index, this would read every link.
      if (kind === 'link') isIndexed ||= linkIndex.get() !== undefined
      if (kind === 'link' && !isIndexed) return undefined
      const row = statements[kind].byName.get(name)
      return row && toEntry(kind, row)
    },

    /** Returns whether a link has this name, ignoring case. */
    hasInAnyCase: (name: string): boolean => linkInAnyCase.get(foldCase(name)) !== undefined,

    /** Returns all entries, or only those whose names start with `group` and a slash. */
    list(kind: Kind, group?: string): Entry[] {
      const { all, inGroup } = statements[kind]
      const rows =
        group === undefined ? all.all() : inGroup.all(`${group}/`, `${group}${AFTER_SLASH}`)
      return rows.map((row) => toEntry(kind, row))
    },

    /** Returns the stored entries with ids from `after` (exclusive) to `upTo` (inclusive). */
    between: (kind: Kind, after: number, upTo: number) =>
      statements[kind].between.all(after, upTo) as StoredEntry[],

    close(): void {
      db.close()
    },
  }
}
