import type { Readiness } from '../db/readiness.ts'
import type { StoreReader } from '../links/store/store-reader.ts'
import { readForeignMain } from './foreign-main.ts'

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
