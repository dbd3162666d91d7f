import { sql } from 'kysely'
import { LINK_ORDER_LOCK, MAINTENANCE_LOCK } from '../../db/lock.ts'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'

export type OrderChanges = { ids: number[]; links: Float64Array }

/**
 * Returns the distinct links changed by the oldest `imports` imports, and the ids of the rows that
 * recorded them.
 */
export async function readChanges(db: Db, imports: number): Promise<OrderChanges> {
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
export async function deleteChanges(db: Db, ids: readonly number[]): Promise<void> {
  await db.deleteFrom('link_order_changes').where('id', '=', anyOf(ids)).execute()
}

/**
 * Copies the totals of links to the order by clicks. Returns false if another process is doing so.
 * Reads the totals after taking the lock, so that newer numbers are never overwritten by older
 * ones.
 */
export async function copyTotals(tx: Tx, links: Float64Array): Promise<boolean> {
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
