import type { Clock } from '../../clock.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type ClickLog, isDue } from './housekeeping.ts'
import { copyTotals, deleteChanges, readChanges } from './link-order.queries.ts'

/**
 * The number of imports processed together, so that a link changed by several of them is updated
 * once.
 */
const IMPORT_BATCH = 8
/** The number of links per transaction. */
const LINKS_PER_TRANSACTION = 5000
/**
 * The pause between two updates is this many times as long as the last update, within the bounds
 * below in milliseconds.
 */
const PAUSE_FACTOR = 20
const MIN_PAUSE_MS = 2000
const MAX_PAUSE_MS = 30_000
/** Milliseconds between checks for changes that another importer left unprocessed. */
const CHECK_INTERVAL_MS = 60_000

/**
 * Keeps the order of lists by clicks up to date, in parallel with imports. The order lags by a few
 * seconds at low load and by a minute at high load.
 */
export function createLinkOrder(options: { db: Db; clock: Clock; log: Pick<ClickLog, 'warn'> }) {
  const { db, clock, log } = options
  let running: Promise<void> | undefined
  let hasChanged = true
  let lastEndedAt = -Infinity
  let pauseMs = 0

  /** Starts an update if one is due, without waiting for it. */
  function start(signal: AbortSignal, hasImported: boolean): void {
    hasChanged ||= hasImported
    const now = clock()
    if (running !== undefined || !isDue(lastEndedAt, hasChanged ? pauseMs : CHECK_INTERVAL_MS, now))
      return
    hasChanged = false
    running = updateLinkOrder(db, signal)
      .catch((error) => {
        hasChanged = true
        log.warn({ err: error }, 'the order of links by clicks could not be updated')
      })
      .finally(() => {
        lastEndedAt = clock().getTime()
        pauseMs = Math.min(
          MAX_PAUSE_MS,
          Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * (lastEndedAt - now.getTime())),
        )
        running = undefined
      })
  }

  /** Resolves when no update is running. */
  async function end(): Promise<void> {
    await running
  }

  return { start, end }
}

/**
 * Processes the changes that imports recorded. The next update repeats an interrupted one, which is
 * harmless. Does nothing if another process is running an update.
 */
export async function updateLinkOrder(db: Db, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const { ids, links } = await readChanges(db, IMPORT_BATCH)
    if (ids.length === 0) return
    for (let first = 0; first < links.length; first += LINKS_PER_TRANSACTION) {
      if (signal?.aborted) return
      const chunk = links.subarray(first, first + LINKS_PER_TRANSACTION)
      const isUpdated = await inTransaction(db, (tx) => copyTotals(tx, chunk))
      if (!isUpdated) return
    }
    await deleteChanges(db, ids)
  }
}
