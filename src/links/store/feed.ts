import type { Kind } from '../../db/local-store.ts'
import type { StoredEntry } from './entries.queries.ts'

/** Thrown if some of the changes since a position have been deleted. */
export class ChangesPrunedError extends Error {}

/** The database that a store follows. */
export type Source = {
  /**
   * Identifies the database. Each database has its own value, and so does a restored older state.
   */
  source: string
  token: string
  visitorKey: string
  /** The current snapshot. */
  position: string
}

/** Changed entries of a kind. `entries` replace all entries with the ids in `ids`. */
export type Replacement = { kind: Kind; ids: readonly number[]; entries: readonly StoredEntry[] }

/** Reads the next entries of a kind, ordered by id. */
export type ReadEntries = (
  kind: Kind,
  page: { after: number; limit: number },
) => Promise<StoredEntry[]>

/**
 * A feed of the source that a store follows. The source is a database, or the main installation of
 * an edge.
 */
export type StoreFeed = {
  source: Source
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
