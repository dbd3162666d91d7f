import type pg from 'pg'
import { MAINTENANCE_LOCK } from '../../db/lock.ts'
import { int8Array } from '../encoding/pg-binary.ts'

/** Second half of MAINTENANCE_LOCK. */
const LINK_ORDER = 3

export type OrderChanges = { ids: number[]; links: Float64Array }

/** The links that the oldest `imports` imports have changed, each once, and the rows that say so. */
export async function readChanges(pool: pg.Pool, imports: number): Promise<OrderChanges> {
  const { rows } = await pool.query<{ id: number; links: string }>(
    `select id, array_to_string(link_ids, ',') as links from link_order_changes
     order by id limit $1`,
    [imports],
  )
  const links = new Set(rows.flatMap((row) => row.links.split(',').map(Number)))
  return { ids: rows.map(({ id }) => id), links: Float64Array.from(links).sort() }
}

export async function deleteChanges(pool: pg.Pool, ids: readonly number[]): Promise<void> {
  await pool.query('delete from link_order_changes where id = any($1::bigint[])', [int8Array(ids)])
}

/**
 * Gives links the places in the order that their totals ask for, within the caller's transaction;
 * says whether it could. One process does so at a time and reads the totals after it has the lock,
 * so that numbers never go back to older ones.
 */
export async function placeLinks(client: pg.ClientBase, links: Float64Array): Promise<boolean> {
  const { rows } = await client.query<{ alone: boolean }>(
    'select pg_try_advisory_xact_lock($1, $2) as alone',
    [MAINTENANCE_LOCK, LINK_ORDER],
  )
  if (!rows[0]?.alone) return false
  // Two statements: totals may be spread over machines, links are not.
  const totals = await client.query<{ link_id: number; clicks: number }>(
    'select link_id, clicks from click_totals where link_id = any($1::bigint[]) and clicks > 0',
    [int8Array(links)],
  )
  const values = [
    int8Array(totals.rows.map(({ link_id }) => link_id)),
    int8Array(totals.rows.map(({ clicks }) => clicks)),
  ]
  // The locks make a deletion of the link come before, so that it is left out, or after.
  await client.query(
    `with present as materialized (
       select id, account_id from links
       where id = any($1::bigint[]) and kind = 'link'
         and not exists (select from link_order where link_id = id)
       order by id for key share of links
     )
     insert into link_order (account_id, clicks, link_id)
     select p.account_id, t.clicks, p.id
     from present p join unnest($1::bigint[], $2::bigint[]) t (link_id, clicks) on t.link_id = p.id`,
    values,
  )
  await client.query(
    `update link_order o set clicks = t.clicks
     from unnest($1::bigint[], $2::bigint[]) t (link_id, clicks)
     where o.link_id = t.link_id and o.clicks <> t.clicks`,
    values,
  )
  return true
}
