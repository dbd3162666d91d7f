import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readiness } from '../db/readiness.ts'
import type { StoreReader } from '../links/store/store-reader.ts'

const FILE = 'foreign-main'

/** Milliseconds between checks for applied changes. */
const CHECK_MS = 20

/** Calls `onChange` whenever the store has applied changes. Returns a function that stops this. */
export function watchStore(store: Pick<StoreReader, 'readRevision'>, onChange: () => void) {
  let lastRevision = store.readRevision()
  const timer = setInterval(() => {
    const revision = store.readRevision()
    if (revision === lastRevision) return
    lastRevision = revision
    onChange()
  }, CHECK_MS)
  timer.unref()
  return () => clearInterval(timer)
}

/**
 * Creates the check of an edge: that its link store is complete, and belongs to the installation to
 * which `MAIN_URL` leads. Visits need only the former.
 */
export function createEdgeCheck(folder: string, store: Pick<StoreReader, 'describe'>) {
  return async function check({ forVisits = false } = {}): Promise<Readiness> {
    const reason = forVisits ? undefined : readForeignMain(folder)
    if (reason) return { ready: false, reason }
    const state = store.describe()
    if (state && !state.isBuilding) return { ready: true }
    return { ready: false, reason: 'the link store is being built' }
  }
}

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
function readForeignMain(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, FILE), 'utf8') || undefined
  } catch {
    return undefined
  }
}
