import type { Kind } from '../../db/local-store.ts'
import type { StoredEntry } from './entries.queries.ts'

/** Thrown if some of the changes since a position have been deleted. */
export class ChangesPrunedError extends Error {}

/**
 * Identity and position of the database that a store follows, directly or through the main
 * installation.
 */
export type SourceState = {
  /** Identifies the database. Changes when the database is restored from a backup. */
  source: string
  token: string
  visitorKey: string
  position: Position
}

/**
 * `pg_current_snapshot()` as text: all changes visible in it are applied. While a store is catching
 * up, followed by the snapshot that it is catching up to and its last change: `S S' xid id`.
 */
export type Position = string

/** Returns whether all changes visible in a snapshot are applied, and no others. */
export function isSnapshot(position: Position): boolean {
  return !position.includes(' ')
}

/** Changed entries of a kind. `entries` replace all entries with the ids in `ids`. */
export type Replacement = { kind: Kind; ids: readonly number[]; entries: readonly StoredEntry[] }

/** The next changes after a position, and the position after them. */
export type Changes = { position: Position; replacements: Replacement[] }

/** Reads the next entries of a kind, ordered by id. */
export type ReadEntries = (
  kind: Kind,
  page: { after: number; limit: number },
) => Promise<StoredEntry[]>

/** A feed of changes from a database, or for an edge, from its main installation. */
export type StoreFeed = {
  source: SourceState
  readNextEntries: ReadEntries
  /**
   * Returns the entries that changed since a position, or some of them: there are more unless the
   * new position is a snapshot. With `mayWait`, may wait about a second for a change.
   *
   * @throws ChangesPrunedError
   */
  readChanges(since: Position, options: { mayWait: boolean }): Promise<Changes>
  /** Deletes some of the changes that are no longer needed. Returns whether more may be left. */
  prune(): Promise<boolean>
  /** Waits until there may be changes. */
  wait(): Promise<void>
  close(): void
}

/** Opens a feed. It fails once `signal` aborts. */
export type OpenFeed = (signal: AbortSignal) => Promise<StoreFeed>
