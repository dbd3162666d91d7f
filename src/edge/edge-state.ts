import type { Readiness } from '../db/readiness.ts'
import type { StoreReader } from '../links/store/store-reader.ts'

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

/** Creates the check whether this edge can serve links, which requires a complete link store. */
export function createEdgeCheck(store: Pick<StoreReader, 'describe'>) {
  return async function check(): Promise<Readiness> {
    const state = store.describe()
    if (state && !state.isBuilding) return { ready: true }
    return { ready: false, reason: 'the link store is being built' }
  }
}
