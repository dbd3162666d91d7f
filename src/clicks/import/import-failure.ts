import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'

/** A series of failed imports of a journal. */
export type ImportFailure = {
  /** The time of the first failure, in milliseconds since 1970. */
  since: number
  /** The last error on one line, without secrets. */
  error: string
}

const FILE = 'import-failure.json'
/** The maximum length of an error's description. */
const MAX_LENGTH = 300

/**
 * Creates a record of failing imports in the journal's folder, where other processes can read it.
 */
export function createFailureRecord({ dir, clock }: { dir: string; clock: Clock }) {
  const path = join(dir, FILE)
  // A previous process may have recorded a failure that still persists.
  let failure = readImportFailure(dir)

  return {
    /** Records a failed import. */
    recordFailure(error: unknown): void {
      const text = describeError(error)
      if (failure?.error === text) return
      failure = { since: failure?.since ?? clock().getTime(), error: text }
      try {
        writeFileSync(path, JSON.stringify(failure), { mode: 0o600 })
      } catch {
        // On a full disk, the record cannot be written, but the log has the error.
      }
    },

    /** Records a successful import. */
    recordSuccess(): void {
      if (!failure) return
      failure = undefined
      rmSync(path, { force: true })
    },
  }
}

/** Returns the current failure of imports from a journal's folder, or undefined if they work. */
export function readImportFailure(dir: string): ImportFailure | undefined {
  try {
    const { since, error } = JSON.parse(readFileSync(join(dir, FILE), 'utf8'))
    return { since: Number(since), error: String(error) }
  } catch {
    return undefined
  }
}

/** Returns the message of an error on one line, truncated, and without passwords. */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message
    .replaceAll(/(\w+:\/\/)[^\s/?#]*@/g, '$1***@')
    .replaceAll(/(password=)\S+/gi, '$1***')
    .replaceAll(/\s+/g, ' ')
    .slice(0, MAX_LENGTH)
}
