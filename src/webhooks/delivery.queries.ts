import { sql, type Updateable } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { WebhookDeliveryTable, WebhookEndpointTable } from '../db/schema/webhooks.ts'
import type { Tx } from '../db/transaction.ts'

/** A message that this process is to send now. */
export type Claimed = {
  id: number
  endpoint_id: number
  account_id: number
  url: string
  secret: string
  /** The one before it, while it still signs. */
  old_secret: string | null
  type: string
  data: Record<string, unknown>
  attempts: number
  created_at: Date
  failures: number
  failing_since: Date | null
}

type Claim = {
  now: Date
  /** When others may take the message if this process does not say what became of it. */
  until: Date
  most: number
  /** Accounts that have had their turn and not ended it. */
  busy: readonly number[]
  /** Whether endpoints that failed last may be tried as well. */
  failing: boolean
}

/**
 * Takes messages that are due, the oldest of each account, so that none waits behind another's queue.
 * Counts the attempt at once: one that ends this process has been made.
 */
export async function claimDeliveries(
  db: Db,
  { now, until, most, busy, failing }: Claim,
): Promise<Claimed[]> {
  const { rows } = await sql<Claimed>`
    with turns as (
      select distinct on (e.account_id) e.account_id, e.url, e.secret, e.failures, e.failing_since,
        case when e.old_secret_until > ${now} then e.old_secret end as old_secret, d.id, d.next_at
      from webhook_endpoints e
      join accounts a on a.id = e.account_id and a.suspended_at is null
      cross join lateral (
        select id, next_at from webhook_deliveries
        where endpoint_id = e.id and state = 'waiting' and next_at <= ${now}
        order by next_at, id limit 1 for update skip locked
      ) d
      where e.disabled_at is null and (e.paused_until is null or e.paused_until <= ${now})
        and (e.failures = 0 or ${failing}) and e.account_id <> all (${[...busy]}::bigint[])
      order by e.account_id, d.next_at
    ), due as (select * from turns order by next_at limit ${most})
    update webhook_deliveries w set attempts = w.attempts + 1, next_at = ${until}
    from due where w.id = due.id
    returning w.id, w.endpoint_id, due.account_id, due.url, due.secret, due.old_secret, w.type, w.data, w.attempts,
      w.created_at, due.failures, due.failing_since`.execute(db)
  return rows
}

/** Gives a message back that was not sent after all. */
export async function unclaimDelivery(db: Db, id: number, now: Date): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set(({ eb }) => ({ attempts: eb('attempts', '-', 1), next_at: now }))
    .where('id', '=', id)
    .execute()
}

/** Writes down what an attempt came to. */
export async function recordAttempt(
  tx: Tx,
  { id, endpoint_id }: Pick<Claimed, 'id' | 'endpoint_id'>,
  delivery: Updateable<WebhookDeliveryTable>,
  endpoint: Updateable<WebhookEndpointTable>,
): Promise<void> {
  await tx.updateTable('webhook_deliveries').set(delivery).where('id', '=', id).execute()
  await tx.updateTable('webhook_endpoints').set(endpoint).where('id', '=', endpoint_id).execute()
}

/** Deletes messages from before a moment, and clicks that nobody is left to be told of. */
export async function deleteDeliveries(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('webhook_deliveries').where('created_at', '<', before).execute()
  await db
    .deleteFrom('webhook_clicks')
    .where('endpoint_id', 'not in', (eb) =>
      eb.selectFrom('webhook_endpoints').select('id').where('disabled_at', 'is', null),
    )
    .execute()
}
