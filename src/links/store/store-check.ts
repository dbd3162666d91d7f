import type { DatabaseSync } from 'node:sqlite'
import { KINDS } from '../../db/local-store.ts'

/** This many rows take a few milliseconds. */
const ROWS = 5000

/**
 * Creates a check of all tables and indexes of a store. Each call reads the next rows and returns
 * whether there are more. Unlike SQLite's own integrity check, which takes seconds for millions of
 * links, it never occupies the process for long.
 *
 * @throws Error for which `isCorruptionError` is true
 */
export function createStoreCheck(db: DatabaseSync): () => boolean {
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
