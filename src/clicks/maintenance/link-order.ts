import type { Clock } from '../../clock.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction } from '../../db/transaction.ts'
import { type ClickLog, isDue } from './housekeeping.ts'
import { deleteChanges, orderLinks, readChanges } from './link-order.queries.ts'

/** Imports whose changes are worked off together, so that a link in many of them is ordered once. */
const IMPORTS = 8
/** Links ordered in one transaction. */
const LINKS = 5000
/** Milliseconds between two updates: so many times what the last one took, within these bounds. */
const SHARE = 20
const SHORTEST = 2000
const LONGEST = 30_000
/** Milliseconds after which changes are looked for that another importer may have left behind. */
const MINUTE = 60_000

/**
 * Keeps the order of lists by clicks up to date, beside the imports and never more than a minute
 * behind them: a few seconds while there is little to do, longer while there is much.
 */
export function createLinkOrder(options: { db: Db; clock: Clock; log: Pick<ClickLog, 'warn'> }) {
  const { db, clock, log } = options
  let running: Promise<void> | undefined
  let changed = true
  let ended = -Infinity
  let rest = 0

  /** Begins an update if one is due, and does not wait for it. */
  function start(signal: AbortSignal, imported: boolean): void {
    changed ||= imported
    const now = clock()
    if (running !== undefined || !isDue(ended, changed ? rest : MINUTE, now)) return
    changed = false
    running = updateLinkOrder(db, signal)
      .catch((error) => {
        changed = true
        log.warn({ err: error }, 'the order of links by clicks could not be updated')
      })
      .finally(() => {
        ended = clock().getTime()
        rest = Math.min(LONGEST, Math.max(SHORTEST, SHARE * (ended - now.getTime())))
        running = undefined
      })
  }

  /** Resolves when nothing is being done any more. */
  async function end(): Promise<void> {
    await running
  }

  return { start, end }
}

/**
 * Works off what imports have noted. Whatever it is stopped in the middle of is done once more by the
 * next one, which changes nothing; where another process is at it, that is left to it.
 */
export async function updateLinkOrder(db: Db, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const { ids, links } = await readChanges(db, IMPORTS)
    if (ids.length === 0) return
    for (let first = 0; first < links.length; first += LINKS) {
      if (signal?.aborted) return
      const some = links.subarray(first, first + LINKS)
      const ordered = await inTransaction(db, (tx) => orderLinks(tx, some))
      if (!ordered) return
    }
    await deleteChanges(db, ids)
  }
}
