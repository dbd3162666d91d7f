import { sql, type Updateable } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { WebhookDeliveries, WebhookEndpoints } from '../db/tables.generated.ts'
import type { Tx } from '../db/transaction.ts'
import { deleteFinished } from './queue.queries.ts'

/** A message that this process has claimed to send. */
export type ClaimedDelivery = {
  id: number
  endpoint_id: number
  account_id: number
  url: string
  secret: string
  /** The previous secret, as long as messages are also signed with it. */
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
  /** Until then, other processes must not claim the message. */
  until: Date
  limit: number
  /** Accounts to skip in this query. */
  skippedAccounts: readonly number[]
  /**
   * Whether to claim messages for endpoints whose last attempt failed or was slow, or messages for
   * all others.
   */
  isLimited: boolean
}

/**
 * Claims due messages, one per account. Starts with the accounts whose last attempt was the longest
 * ago, so that one account's queue does not delay others. Counts the attempt before it starts, so
 * that attempts that crash the process count too.
 */
export async function claimDeliveries(
  db: Db,
  { now, until, limit, skippedAccounts, isLimited }: Claim,
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with turns as (
      select distinct on (e.account_id) e.account_id, e.url, e.secret, e.failures, e.failing_since,
        case when e.old_secret_until > ${now} then e.old_secret end as old_secret, d.id, d.next_at,
        (select max(attempted_at) from webhook_endpoints s where s.account_id = e.account_id) as served_at
      from webhook_endpoints e
      join accounts a on a.id = e.account_id and a.suspended_at is null
      cross join lateral (
        select id, next_at from webhook_deliveries
        where endpoint_id = e.id and state = 'waiting' and next_at <= ${now}
        order by next_at, id limit 1
      ) d
      where e.disabled_at is null and (e.paused_until is null or e.paused_until <= ${now})
        and (e.failures > 0 or e.slow) = ${isLimited} and e.account_id <> all (${[...skippedAccounts]}::bigint[])
      order by e.account_id, e.attempted_at nulls first, d.next_at
    ), due as (
      select turns.*, w.message_id from turns join webhook_deliveries w using (id)
      where w.state = 'waiting' and w.next_at <= ${now}
      order by served_at nulls first, turns.next_at limit ${limit} for update of w skip locked
    )
    update webhook_deliveries w set attempts = w.attempts + 1, next_at = ${until}
    from due join webhook_messages m on m.id = due.message_id
    where w.id = due.id
    returning w.id, w.endpoint_id, due.account_id, due.url, due.secret, due.old_secret, m.type, m.data, w.attempts,
      m.created_at, due.failures, due.failing_since`.execute(db)
  return rows
}

/** Releases a message that was not sent, and does not count the attempt. */
export async function releaseDelivery(db: Db, id: number, now: Date): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set(({ eb }) => ({ attempts: eb('attempts', '-', 1), next_at: now }))
    .where('id', '=', id)
    .execute()
}

/** Stores the result of an attempt. Deletes the endpoint's oldest finished messages. */
export async function recordAttempt(
  tx: Tx,
  { id, endpoint_id }: Pick<ClaimedDelivery, 'id' | 'endpoint_id'>,
  delivery: Updateable<WebhookDeliveries>,
  endpoint: Updateable<WebhookEndpoints>,
): Promise<void> {
  await tx.updateTable('webhook_deliveries').set(delivery).where('id', '=', id).execute()
  await tx.updateTable('webhook_endpoints').set(endpoint).where('id', '=', endpoint_id).execute()
  if (delivery.state !== undefined) await deleteFinished(tx, endpoint_id)
}
