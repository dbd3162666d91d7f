import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILE = 'foreign-main'

/**
 * Creates a wrapper of the check that the main installation is the one to which an edge's files
 * belong. It records why the check fails in the link store's folder, where the workers can read it.
 */
export function recordForeignMain<Source>(folder: string, check: (source: Source) => void) {
  const path = join(folder, FILE)
  // `MAIN_URL` may have been corrected since.
  rmSync(path, { force: true })

  return (source: Source): void => {
    try {
      check(source)
      rmSync(path, { force: true })
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== readForeignMain(folder)) {
        mkdirSync(folder, { recursive: true, mode: 0o700 })
        writeFileSync(path, reason, { mode: 0o600 })
      }
      throw error
    }
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
