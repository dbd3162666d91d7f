import type { Kind } from '../../db/local-store.ts'
import type { StoredEntry } from './entries.queries.ts'

/** Some of the changes since a position are no longer known. */
export class ChangesPrunedError extends Error {}

/** The database that a store follows. */
export type Source = {
  /**
   * Identifies the database. Differs from any other database, and from a restored older state of
   * the same one.
   */
  source: string
  token: string
  visitorKey: string
  /** The current snapshot. */
  position: string
}

/** Changed entries of a kind: `entries` replace those with the given ids. */
export type Replacement = { kind: Kind; ids: readonly number[]; entries: readonly StoredEntry[] }

/** Reads the next entries of a kind by id. */
export type ReadEntries = (
  kind: Kind,
  page: { after: number; limit: number },
) => Promise<StoredEntry[]>

/** The source that a store follows: a database, or the main installation of an edge. */
export type StoreFeed = {
  source: Source
  nextEntries: ReadEntries
  /**
   * Passes the entries that changed since a position to `apply`, and returns the new position. With
   * `mayWait`, it may wait about a second for a change.
   *
   * @throws ChangesPrunedError
   */
  readChanges(
    since: string,
    apply: (replacements: readonly Replacement[]) => void,
    options: { mayWait: boolean },
  ): Promise<string>
  /** Deletes some of the changes that are no longer needed. Returns whether there may be more. */
  prune(): Promise<boolean>
  /** Waits until there may be changes. */
  wait(): Promise<void>
  close(): void
}

/** Opens a feed. It fails once `signal` aborts. */
export type OpenFeed = (signal: AbortSignal) => Promise<StoreFeed>
