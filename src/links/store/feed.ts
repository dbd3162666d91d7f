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
  /** `pg_current_snapshot()` as text. Pass it to `readChanges`. */
  position: string
}

/** Changed entries of a kind. `entries` replace all entries with the ids in `ids`. */
export type Replacement = { kind: Kind; ids: readonly number[]; entries: readonly StoredEntry[] }

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
   * Passes the entries that changed since a position to `apply`, and returns the new position. With
   * `mayWait`, may wait about a second for a change.
   *
   * @throws ChangesPrunedError
   */
  readChanges(
    since: string,
    apply: (replacements: readonly Replacement[]) => void,
    options: { mayWait: boolean },
  ): Promise<string>
  /** Deletes some of the changes that are no longer needed. Returns whether more may be left. */
  prune(): Promise<boolean>
  /** Waits until there may be changes. */
  wait(): Promise<void>
  close(): void
}

/** Opens a feed. It fails once `signal` aborts. */
export type OpenFeed = (signal: AbortSignal) => Promise<StoreFeed>
