import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'

type Recipient = { id: number; account_id: number }

/**
 * Returns the endpoints that are due for a message about clicks. An endpoint gets at most one
 * message per second, and only if the previous one is not pending.
 */
export async function findClickRecipients(db: Db, before: Date): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    select e.id, e.account_id from webhook_endpoints e
    left join webhook_deliveries d on d.id = e.clicks_delivery_id and d.state = 'waiting'
    where 'link.clicked' = any (e.events) and e.disabled_at is null and d.id is null
      and (e.clicks_told_at is null or e.clicks_told_at <= ${before})
      and exists (select from webhook_clicks c where c.endpoint_id = e.id)`.execute(db)
  return rows
}

/**
 * Locks an endpoint. Returns false if another process has locked it, or has sent it a message after
 * `before`.
 */
export async function lockRecipient(tx: Tx, id: number, before: Date): Promise<boolean> {
  const row = await tx
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('id', '=', id)
    .where(({ or, eb }) =>
      or([eb('clicks_told_at', 'is', null), eb('clicks_told_at', '<=', before)]),
    )
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()
  return row !== undefined
}

/** Removes the pending clicks for an endpoint and returns them. */
export async function takeClicks(
  tx: Tx,
  endpointId: number,
  limit: number,
): Promise<{ link_id: number; clicks: number }[]> {
  return tx
    .deleteFrom('webhook_clicks')
    .where('endpoint_id', '=', endpointId)
    .where('link_id', 'in', (eb) =>
      eb
        .selectFrom('webhook_clicks')
        .select('link_id')
        .where('endpoint_id', '=', endpointId)
        .orderBy('link_id')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['link_id', 'clicks'])
    .execute()
}

/** Stores the time and the delivery of the last message about clicks to an endpoint. */
export async function setClicksDelivery(
  tx: Tx,
  endpointId: number,
  deliveryId: number | undefined,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('webhook_endpoints')
    .set({ clicks_told_at: now, clicks_delivery_id: deliveryId ?? null })
    .where('id', '=', endpointId)
    .execute()
}

export type ExpiredLink = { id: number; account_id: number; expires_at: Date }

/** Returns whether any endpoint subscribes to expirations. */
export async function hasExpirationSubscribers(db: Db): Promise<boolean> {
  const row = await db
    .selectFrom('webhook_endpoints')
    .select('id')
    .where(sql`'link.ended'`, '=', sql`any (events)`)
    .where('disabled_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Locks and returns the last published expiration, or undefined while another process is
 * publishing.
 */
export async function lockExpirationPosition(
  tx: Tx,
): Promise<{ at: Date; id: number } | undefined> {
  // Endpoints receive only expirations after they were created, so starting in the distant past is
  // safe.
  await tx
    .insertInto('webhook_ends')
    .values({ told_until: new Date(0) })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await tx
    .selectFrom('webhook_ends')
    .select(['told_until', 'last_link_id'])
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  return row && { at: row.told_until, id: row.last_link_id }
}

/** Stores the time and id of the last link for which an expiration was published. */
export async function updateExpirationPosition(tx: Tx, at: Date, id: number): Promise<void> {
  await tx.updateTable('webhook_ends').set({ told_until: at, last_link_id: id }).execute()
}

/**
 * Returns links that expired after `after`, ordered by expiration. Only includes links that expired
 * while an endpoint of their account subscribed to expirations.
 */
export async function findExpiredLinks(
  tx: Tx,
  after: { at: Date; id: number },
  now: Date,
  limit: number,
): Promise<ExpiredLink[]> {
  const { rows } = await sql<ExpiredLink>`
    select l.id, l.account_id, l.expires_at
    from (
      select account_id, min(created_at) as since from webhook_endpoints
      where 'link.ended' = any (events) and disabled_at is null
      group by account_id
    ) e
    cross join lateral (
      select id, account_id, expires_at from links
      where account_id = e.account_id and kind = 'link' and expires_at <= ${now}
        and (used_up_at is null or used_up_at > expires_at)
        and expires_at >= greatest(${after.at}, e.since) and (expires_at, id) > (${after.at}, ${after.id}::bigint)
      order by expires_at, id limit ${limit}
    ) l
    order by l.expires_at, l.id limit ${limit}`.execute(tx)
  return rows
}
