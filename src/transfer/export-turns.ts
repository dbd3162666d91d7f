import { setImmediate as nextTurn } from 'node:timers/promises'
import { createLimit } from '../concurrency/limit.ts'

export type ExportTurns = ReturnType<typeof createExportTurns>

/** Connections that all exports of a process may use at once. */
const CONNECTIONS = 2

/** Keeps exports from holding up each other and everything else that the process does. */
export function createExportTurns() {
  const connections = createLimit({ maxRunning: CONNECTIONS, maxWaiting: Number.POSITIVE_INFINITY })
  let turns: Promise<void> = Promise.resolve()

  return {
    /** Runs a query when one of few connections is free. */
    read: <T>(query: () => Promise<T>): Promise<T> => connections.run(query),

    /** Resolves in a later turn of the event loop, one that no other export has. */
    ownTurn(): Promise<void> {
      turns = turns.then(() => nextTurn())
      return turns
    },
  }
}
