import type { Readiness } from '../db/readiness.ts'
import type { StoreReader } from '../links/store/store-reader.ts'

export type { Readiness }

type Options = {
  /** Checks that the database, or on an edge the link store, can be used. */
  checkSource: (options?: { forVisits: boolean }) => Promise<Readiness>
  store: Pick<StoreReader, 'describe'>
  /** Returns the problem that prevents recording clicks, or undefined. */
  findJournalProblem: () => string | undefined
}

/**
 * Creates the checks that decide which requests a proxy sends to this process. After `drain`, they
 * all report that the process is not ready.
 */
export function createReadiness({ checkSource, store, findJournalProblem }: Options) {
  let isDraining = false

  async function unlessDraining(check: () => Promise<Readiness>): Promise<Readiness> {
    return isDraining ? { ready: false, reason: 'shutting down' } : check()
  }

  return {
    /** Checks whether every request can be served, which needs the database and the journal. */
    checkAll: () =>
      unlessDraining(async () => {
        const problem = findJournalProblem()
        return problem ? { ready: false, reason: problem } : checkSource()
      }),

    /** Checks whether visits can be served: from a complete link store, or from the database. */
    checkRedirects: () =>
      unlessDraining(async () => {
        const state = store.describe()
        return state && !state.isBuilding ? { ready: true } : checkSource({ forVisits: true })
      }),

    drain(): void {
      isDraining = true
    },
  }
}
