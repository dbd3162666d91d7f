import { sql } from 'kysely'
import { LINK_ORDER, MAINTENANCE_LOCK } from '../../db/lock.ts'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'

export type OrderChanges = { ids: number[]; links: Float64Array }

/** The links that the oldest `imports` imports have changed, each once, and the rows that say so. */
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

/** Deletes changes that have been worked off. */
export async function deleteChanges(db: Db, ids: readonly number[]): Promise<void> {
  await db.deleteFrom('link_order_changes').where('id', '=', anyOf(ids)).execute()
}

/**
 * Gives links the rows in the order that their totals ask for, within the caller's transaction;
 * says whether it could. One process does so at a time and reads the totals after it has the lock,
 * so that numbers never go back to older ones.
 */
export async function orderLinks(tx: Tx, links: Float64Array): Promise<boolean> {
  const lock = sql`${MAINTENANCE_LOCK}::int, ${LINK_ORDER}::int`
  const { rows } = await sql<{ alone: boolean }>`
    select pg_try_advisory_xact_lock(${lock}) as alone`.execute(tx)
  if (!rows[0]?.alone) return false
  // Two statements: totals may be spread over machines, links are not.
  const totals = await tx
    .selectFrom('click_totals')
    .select(['link_id', 'clicks'])
    .where('link_id', '=', anyOf(links))
    .where('clicks', '>', 0)
    .execute()
  const known = await readOrder(tx, totals)
  const isNew = ({ link_id }: Total) => !known.has(link_id)
  const isOther = ({ link_id, clicks }: Total) => (known.get(link_id) ?? clicks) !== clicks
  await insertOrder(tx, totals.filter(isNew))
  await updateOrder(tx, totals.filter(isOther))
  return true
}

type Total = { link_id: number; clicks: number }

/** The clicks by which links stand in the order, by id; without a join, which would read all of it. */
async function readOrder(tx: Tx, totals: readonly Total[]): Promise<ReadonlyMap<number, number>> {
  const rows = await tx
    .selectFrom('link_order')
    .select(['link_id', 'clicks'])
    .where('link_id', '=', anyOf(totals.map(({ link_id }) => link_id)))
    .execute()
  return new Map(rows.map(({ link_id, clicks }) => [link_id, clicks]))
}

/** The locks make a deletion of the link come before, so that it is left out, or after. */
async function insertOrder(tx: Tx, totals: readonly Total[]): Promise<void> {
  if (totals.length === 0) return
  await tx
    .with(
      (cte) => cte('present').materialized(),
      (cte) =>
        cte
          .selectFrom('links')
          .select(['id', 'account_id'])
          .where('id', '=', anyOf(totals.map(({ link_id }) => link_id)))
          .where('kind', '=', 'link')
          .orderBy('id')
          .forKeyShare(),
    )
    .insertInto('link_order')
    .columns(['account_id', 'clicks', 'link_id'])
    .expression((qb) =>
      qb
        .selectFrom('present as p')
        .innerJoin(asRows(totals), (join) => join.onRef('t.link_id', '=', 'p.id'))
        .select(['p.account_id', 't.clicks', 'p.id']),
    )
    .execute()
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
