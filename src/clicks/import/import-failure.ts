import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'

/** Imports of a journal that fail. */
export type ImportFailure = {
  /** When they began to, in milliseconds since 1970. */
  since: number
  /** The last error, without secrets, in one line. */
  error: string
}

export type FailureRecord = ReturnType<typeof createFailureRecord>

const FILE = 'import-failure.json'
const LONGEST = 300

/** Writes down, in the journal's folder, that imports fail, so that other processes can tell. */
export function createFailureRecord({ dir, clock }: { dir: string; clock: Clock }) {
  const path = join(dir, FILE)
  // Failures go on where a process that ended had them.
  let recorded = readImportFailure(dir)

  return {
    /** Notes that an import has failed. */
    failed(error: unknown): void {
      const text = describeError(error)
      if (recorded?.error === text) return
      recorded = { since: recorded?.since ?? clock().getTime(), error: text }
      try {
        writeFileSync(path, JSON.stringify(recorded), { mode: 0o600 })
      } catch {
        // On a full disk the log says so, and there is nothing else to be done.
      }
    },

    /** Notes that an import has succeeded. */
    succeeded(): void {
      if (!recorded) return
      recorded = undefined
      rmSync(path, { force: true })
    },
  }
}

/** Returns since when the imports of a journal's folder fail, and why; undefined if they do not. */
export function readImportFailure(dir: string): ImportFailure | undefined {
  try {
    const { since, error } = JSON.parse(readFileSync(join(dir, FILE), 'utf8'))
    return { since: Number(since), error: String(error) }
  } catch {
    return undefined
  }
}

/** The message of an error, with the credentials of any URL in it left out. */
export function describeError(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message
    .replaceAll(/(\w+:\/\/)[^\s/?#]*@/g, '$1***@')
    .replaceAll(/(password=)\S+/gi, '$1***')
    .replaceAll(/\s+/g, ' ')
    .slice(0, LONGEST)
}
