import type { Clock } from '../../clock.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { findOwners } from '../import/known-links.queries.ts'
import { type CompleteDay, completeDays } from './complete-days.ts'
import {
  countRemaining,
  lockLinks,
  moveOn,
  readLink,
  readRawDays,
  takeTurn,
} from './day-backfill.queries.ts'
import { addMissingToAccounts, otherLabel, writeLinkDays } from './day-backfill-writes.queries.ts'
import { type ClickLog, isDue } from './housekeeping.ts'

/** Links brought along in one transaction, during which an import of their clicks waits. */
const LINKS = 20

/** Milliseconds between tries, and between lines in the log. */
const MINUTE = 60_000
const LINE = 10_000

/** How many links have been brought along, of how many that were to be. */
export type BackfillProgress = { done: number; all: number }

/**
 * Brings the days from before statistics over time along: works out of the raw clicks that are still
 * kept what was clicked when, by which visitors and from where, for each link and for its account. It
 * may run beside everything else and be cut off at any point; what was done then is not done again.
 * Where another process is at it, that is left to it.
 */
export async function* backfillDays(
  db: Db,
  signal?: AbortSignal,
): AsyncGenerator<BackfillProgress, void> {
  const all = await countRemaining(db)
  let done = 0
  while (all > 0 && !signal?.aborted) {
    const links = await inTransaction(db, backfillSome)
    if (links === undefined) return
    done += links
    yield { done, all: Math.max(all, done) }
  }
}

/** Does that in the background of imports, and says in the log how far it is. */
export function createDayBackfill(options: {
  db: Db
  clock: Clock
  log: Pick<ClickLog, 'info' | 'warn'>
}) {
  const { db, clock, log } = options
  let running: Promise<void> | undefined
  let isDone = false
  let tried = -Infinity
  let said = -Infinity

  /** Begins if there may be something to do, and does not wait for it. */
  function start(signal: AbortSignal): void {
    if (isDone || running !== undefined || !isDue(tried, MINUTE, clock())) return
    tried = clock().getTime()
    running = work(signal)
      .catch((error) => log.warn({ err: error }, 'statistics over time could not be completed'))
      .finally(() => {
        running = undefined
      })
  }

  async function work(signal: AbortSignal): Promise<void> {
    let links = 0
    for await (const progress of backfillDays(db, signal)) {
      links = progress.done
      say(progress)
    }
    isDone = (await countRemaining(db)) === 0
    if (isDone && links > 0) log.info({ links }, 'statistics over time are complete')
  }

  function say(links: BackfillProgress): void {
    if (!isDue(said, LINE, clock())) return
    said = clock().getTime()
    log.info(links, 'completing statistics over time from raw clicks')
  }

  /** Resolves when nothing is being done any more. */
  async function end(): Promise<void> {
    await running
  }

  return { start, end }
}

/** Gives how many links were brought along, undefined if there was nothing to do. */
async function backfillSome(tx: Tx): Promise<number | undefined> {
  const remaining = await takeTurn(tx)
  if (!remaining) return undefined
  const links = await lockLinks(tx, remaining, LINKS)
  const owners = await findOwners(tx, links)
  const accounts = new Map(owners.map(({ id, account_id }) => [id, account_id]))
  const completed: { link: number; account: number; days: CompleteDay[] }[] = []
  for (const link of links) {
    const account = accounts.get(link)
    if (account === undefined) continue
    const { days, visitors } = await readLink(tx, link)
    const raw = await readRawDays(tx, link)
    completed.push({ link, account, days: completeDays(days, raw, visitors) })
  }
  const other = await otherLabel(tx)
  await writeLinkDays(tx, completed, other)
  await addMissingToAccounts(tx, completed, other)
  await moveOn(tx, links.length < LINKS ? remaining.to : (links.at(-1) as number))
  return links.length
}
