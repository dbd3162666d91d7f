import { setImmediate as nextTurn } from 'node:timers/promises'
import { createLimit } from '../concurrency/limit.ts'

export type ExportScheduler = ReturnType<typeof createExportScheduler>

/** The number of connections that all exports of a process share. */
const CONNECTIONS = 2

/**
 * Creates the scheduler that prevents exports from delaying each other and other work of the
 * process.
 */
export function createExportScheduler() {
  const connections = createLimit({ maxRunning: CONNECTIONS, maxWaiting: Number.POSITIVE_INFINITY })
  let turns: Promise<void> = Promise.resolve()

  return {
    /** Runs a query when a connection is available. */
    read: <T>(query: () => Promise<T>): Promise<T> => connections.run(query),

    /** Resolves in a later turn of the event loop that no other export uses. */
    waitForTurn(): Promise<void> {
      turns = turns.then(() => nextTurn())
      return turns
    },
  }
}
