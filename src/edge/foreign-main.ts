import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = 'foreign-main'

/**
 * Creates a wrapper of the check that the main installation is the one to which an edge's files
 * belong. It records why the check fails in the link store's folder, where the workers can read it.
 */
export function recordForeignMain<Source>(folder: string, check: (source: Source) => void) {
  // `MAIN_URL` may have been corrected since.
  write(folder, undefined)

  return (source: Source): void => {
    try {
      check(source)
    } catch (error) {
      write(folder, error instanceof Error ? error.message : String(error))
      throw error
    }
    write(folder, undefined)
  }
}

/** Replaces the record. A disk that is full or read-only must not end the hand-over. */
function write(folder: string, reason: string | undefined): void {
  if (reason === readForeignMain(folder)) return
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    writeFileSync(join(folder, FILE), reason ?? '', { mode: 0o600 })
  } catch {
    // The log has the reason.
  }
}

/** Returns why `MAIN_URL` leads to another installation than an edge's files, if it does. */
export function readForeignMain(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, FILE), 'utf8') || undefined
  } catch {
    return undefined
  }
}
