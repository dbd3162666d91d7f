import type { Insertable, Selectable, Updateable } from 'kysely'
import { own, unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import type {
  WebhookDeliveries,
  WebhookEndpoints,
  WebhookMessages,
} from '../db/tables.generated.ts'
import type { Tx } from '../db/transaction.ts'
import type { AccountScope } from '../scope.ts'
import { deleteMessagesWithoutDeliveries } from './queue.queries.ts'
import type { WebhookDelivery, WebhookEndpoint } from './webhook.ts'
import { EVENT_TYPES } from './webhook.ts'

export async function findEndpoint(
  scope: AccountScope,
  id: number,
): Promise<WebhookEndpoint | undefined> {
  const row = await own(scope)
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst()
  return row && toEndpoint(row)
}

/** Locks an account, so that its endpoints are added one at a time. */
export async function lockAccount(scope: AccountScope<Tx>): Promise<void> {
  await own(scope).selectFrom('accounts').select('id').forUpdate().execute()
}

export async function insertEndpoint(
  tx: Tx,
  values: Insertable<WebhookEndpoints>,
): Promise<number> {
  const { id } = await tx
    .insertInto('webhook_endpoints')
    .values(values)
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** Updates an endpoint of an account. Returns whether it exists. */
export async function updateEndpoint(
  scope: AccountScope,
  id: number,
  changes: Updateable<WebhookEndpoints>,
): Promise<boolean> {
  const { numUpdatedRows } = await own(scope)
    .updateTable('webhook_endpoints')
    .set(changes)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Replaces an endpoint's secret. Until `until`, messages are also signed with the old one. Returns
 * whether the endpoint exists.
 */
export async function replaceSecret(
  db: Db,
  { accountId, id }: { accountId: number; id: number },
  secret: string,
  until: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_endpoints')
    .set(({ ref }) => ({ secret, old_secret: ref('secret'), old_secret_until: until }))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Deletes an endpoint of an account and its messages. Returns whether it existed. */
export async function deleteEndpoint(scope: AccountScope<Tx>, id: number): Promise<boolean> {
  if (!(await findEndpoint(scope, id))) return false
  await unscoped(scope).deleteFrom('webhook_deliveries').where('endpoint_id', '=', id).execute()
  const { numDeletedRows } = await own(scope)
    .deleteFrom('webhook_endpoints')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await deleteMessagesWithoutDeliveries(scope)
  await unscoped(scope).deleteFrom('webhook_clicks').where('endpoint_id', '=', id).execute()
  return numDeletedRows > 0n
}

/** Returns an endpoint's most recent messages, newest first. */
export async function listDeliveries(
  db: Db,
  endpointId: number,
  count: number,
): Promise<WebhookDelivery[]> {
  const rows = await db
    .selectFrom('webhook_deliveries as d')
    .innerJoin('webhook_messages as m', 'm.id', 'd.message_id')
    .selectAll('d')
    .select(['m.type', 'm.created_at'])
    .where('d.endpoint_id', '=', endpointId)
    .orderBy('d.id', 'desc')
    .limit(count)
    .execute()
  return rows.map(toDelivery)
}

/** Restarts the delivery of a message. Returns whether it exists. */
export async function restartDelivery(
  db: Db,
  endpointId: number,
  id: number,
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('webhook_deliveries')
    .set({ state: 'waiting', attempts: 0, next_at: now })
    .where('endpoint_id', '=', endpointId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export function toEndpoint(row: Selectable<WebhookEndpoints>): WebhookEndpoint {
  const { id, url, secret, disabled_at: at, disabled_by: by } = row
  const { dropped: count, dropped_at: droppedAt } = row
  return {
    id,
    url,
    secret,
    events: EVENT_TYPES.filter((type) => row.events.includes(type)),
    createdAt: row.created_at,
    oldSecretUntil: row.old_secret_until,
    failingSince: row.failing_since,
    disabled: at && { at, by: by ?? 'failures' },
    dropped: droppedAt && { count, lastAt: droppedAt },
  }
}

type DeliveryRow = Selectable<WebhookDeliveries> &
  Pick<Selectable<WebhookMessages>, 'type' | 'created_at'>

function toDelivery(row: DeliveryRow): WebhookDelivery {
  const { id, type, state, attempts, status, problem } = row
  const nextAt = state === 'waiting' ? row.next_at : null
  return { id, type, state, attempts, status, problem, nextAt, createdAt: row.created_at }
}
