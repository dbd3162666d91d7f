import { sql } from 'kysely'
import type { Clock } from '../../clock.ts'
import { LINK_ORDER_LOCK, MAINTENANCE_LOCK } from '../../db/lock.ts'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction, type Tx } from '../../db/transaction.ts'
import { type ClickLog, isDue } from './housekeeping.ts'

type OrderChanges = { ids: number[]; links: Float64Array }

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

/**
 * Returns the distinct links changed by the oldest `imports` imports, and the ids of the rows that
 * recorded them.
 */
async function readChanges(db: Db, imports: number): Promise<OrderChanges> {
  const rows = await db
    .selectFrom('link_order_changes')
    .select(['id', sql<string>`array_to_string(${sql.ref('link_ids')}, ',')`.as('links')])
    .orderBy('id')
    .limit(imports)
    .execute()
  const links = new Set(rows.flatMap((row) => row.links.split(',').map(Number)))
  return { ids: rows.map(({ id }) => id), links: Float64Array.from(links).sort() }
}

/** Deletes processed changes. */
async function deleteChanges(db: Db, ids: readonly number[]): Promise<void> {
  await db.deleteFrom('link_order_changes').where('id', '=', anyOf(ids)).execute()
}

/**
 * Copies the totals of links to the order by clicks. Returns false if another process is doing so.
 * Reads the totals after taking the lock, so that newer numbers are never overwritten by older
 * ones.
 */
async function copyTotals(tx: Tx, links: Float64Array): Promise<boolean> {
  const lock = sql`${MAINTENANCE_LOCK}::int, ${LINK_ORDER_LOCK}::int`
  const { rows } = await sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(${lock}) as locked`.execute(tx)
  if (!rows[0]?.locked) return false
  const totals = await tx
    .selectFrom('click_totals')
    .select(['link_id', 'clicks'])
    .where('link_id', '=', anyOf(links))
    .where('clicks', '>', 0)
    .execute()
  const outdated = await selectOutdated(tx, totals)
  await updateOrder(tx, outdated)
  return true
}

type Total = { link_id: number; clicks: number }

/**
 * Returns the totals that differ from the order. Omits links that are not in the order. Does not
 * use a join, which would read the entire table.
 */
async function selectOutdated(tx: Tx, totals: readonly Total[]): Promise<Total[]> {
  const rows = await tx
    .selectFrom('link_order')
    .select(['link_id', 'clicks'])
    .where('link_id', '=', anyOf(totals.map(({ link_id }) => link_id)))
    .execute()
  const ordered = new Map(rows.map(({ link_id, clicks }) => [link_id, clicks]))
  return totals.filter(({ link_id, clicks }) => (ordered.get(link_id) ?? clicks) !== clicks)
}

async function updateOrder(tx: Tx, totals: readonly Total[]): Promise<void> {
  if (totals.length === 0) return
  await tx
    .updateTable('link_order as o')
    .from(asRows(totals))
    .set(({ ref }) => ({ clicks: ref('t.clicks') }))
    .whereRef('o.link_id', '=', 't.link_id')
    .execute()
}

function asRows(totals: readonly Total[]) {
  const ids = int8Array(totals.map(({ link_id }) => link_id))
  const clicks = int8Array(totals.map((row) => row.clicks))
  return sql<Total>`unnest(${ids}::bigint[], ${clicks}::bigint[])`.as<'t'>(sql`t (link_id, clicks)`)
}

function anyOf(ids: ArrayLike<number>) {
  return sql<number>`any(${int8Array(ids)}::bigint[])`
}
