import { sql } from 'kysely'
import { unscoped } from '../db/account-rows.ts'
import { WEBHOOK_QUEUE_LOCK } from '../db/lock.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { AccountScope } from '../scope.ts'

/**
 * The maximum numbers of pending messages. A message for several endpoints counts for each of them.
 */
export const QUEUE_LIMITS = {
  endpoint: { messages: 5000, bytes: 4 * 1_048_576 },
  account: { messages: 10_000, bytes: 8 * 1_048_576 },
} as const

/**
 * When messages are dropped, they are reduced to this share of the limit, so that not every new
 * message causes another drop.
 */
const TRIM_TO_SHARE = 0.9

/** The number of delivered and failed messages stored per endpoint. */
export const MAX_FINISHED = 100

type Messages = {
  accountId: number
  type: string
  data: readonly object[]
  now: Date
  /**
   * The only recipient. If undefined, all enabled endpoints that subscribe to `type` are
   * recipients.
   */
  endpointId?: number
}

/**
 * Queues messages and returns the ids of their deliveries. If `QUEUE_LIMITS` are exceeded, drops
 * the oldest messages.
 */
export async function queueMessages(tx: Tx, messages: Messages): Promise<number[]> {
  const { accountId, type, data, now, endpointId } = messages
  const isRecipient =
    endpointId === undefined
      ? sql`${type} = any (events) and disabled_at is null`
      : sql`id = ${endpointId}`
  const { rows } = await sql<{ id: number }>`
    with recipients as (
      -- Locks the endpoints, so that their deletion waits for this transaction.
      select id from webhook_endpoints where account_id = ${accountId} and ${isRecipient}
      for key share
    ), messages as (
      insert into webhook_messages (account_id, type, data, created_at)
      select ${accountId}, ${type}, d.data, ${now}
      from unnest(${data.map((each) => JSON.stringify(each))}::jsonb[])
        with ordinality d (data, position)
      where exists (select from recipients)
      order by d.position
      returning id, octet_length(data::text) as bytes
    )
    insert into webhook_deliveries (endpoint_id, message_id, bytes, next_at)
    select r.id, m.id, m.bytes, ${now} from recipients r cross join messages m order by r.id, m.id
    returning id`.execute(tx)
  if (rows.length > 0) await dropExcess({ db: tx, accountId }, now)
  return rows.map(({ id }) => id)
}

/**
 * Drops an account's oldest messages beyond `QUEUE_LIMITS`, and counts them for their endpoints.
 * Skips rows on which another transaction is working; the next call drops them. To avoid deadlocks,
 * deliveries are always locked before their endpoints.
 */
async function dropExcess(scope: AccountScope<Tx>, now: Date): Promise<void> {
  const { endpoint, account } = QUEUE_LIMITS
  const reduceLimit = (limit: number) => Math.floor(limit * TRIM_TO_SHARE)
  const waiting = sql`
    from webhook_endpoints e
    join webhook_deliveries d on d.endpoint_id = e.id and d.state = 'waiting'
    where e.account_id = ${scope.accountId}`
  const { rows } = await sql<{ isMine: boolean }>`
    with totals as (
      select count(*) as messages, sum(d.bytes) as bytes ${waiting} group by e.id
    ), exceeded as (
      select from totals
      having max(messages) > ${endpoint.messages} or max(bytes) > ${endpoint.bytes}
        or sum(messages) > ${account.messages} or sum(bytes) > ${account.bytes}
    )
    select pg_try_advisory_xact_lock(${WEBHOOK_QUEUE_LOCK}::int, hashint8(${scope.accountId})) as "isMine"
    where exists (select from exceeded)`.execute(unscoped(scope))
  if (!rows[0]?.isMine) return
  await executeWithHashJoins(
    unscoped(scope),
    sql`
    with ranked as (
      select d.id, row_number() over own as own_messages, sum(d.bytes) over own as own_bytes,
        row_number() over every as all_messages, sum(d.bytes) over every as all_bytes
      ${waiting}
      window own as (partition by d.endpoint_id order by d.id desc), every as (order by d.id desc)
    ), excess as (
      select id from ranked
      where own_messages > ${reduceLimit(endpoint.messages)} or own_bytes > ${reduceLimit(endpoint.bytes)}
        or all_messages > ${reduceLimit(account.messages)} or all_bytes > ${reduceLimit(account.bytes)}
    ), victims as (
      select d.id from webhook_deliveries d join excess using (id) where d.state = 'waiting'
      for update of d skip locked
    ), dropped as (
      delete from webhook_deliveries where id in (select id from victims)
      returning id, endpoint_id, message_id
    ), counted as (
      update webhook_endpoints e set dropped = e.dropped + d.count, dropped_at = ${now}
      from (select endpoint_id, count(*) from dropped group by endpoint_id) d
      where e.id = d.endpoint_id
    )
    ${deleteTheirMessages(sql`dropped`)}`,
  )
}

/**
 * Executes a statement that joins tables of the queue. While the queue was empty, PostgreSQL may have
 * recorded that these tables have no rows. Then it would compare each row with every other one.
 */
async function executeWithHashJoins(
  tx: Tx,
  statement: ReturnType<typeof sql>,
): Promise<bigint | undefined> {
  await sql`set local enable_nestloop = off`.execute(tx)
  const { numAffectedRows } = await statement.execute(tx)
  await sql`set local enable_nestloop = default`.execute(tx)
  return numAffectedRows
}

/** Deletes an endpoint's delivered and failed messages except the newest `MAX_FINISHED`. */
export async function deleteFinished(tx: Tx, endpointId: number): Promise<void> {
  await executeWithHashJoins(
    tx,
    sql`
    with victims as (
      select id from webhook_deliveries
      where endpoint_id = ${endpointId} and state <> 'waiting' and id <= (
        select id from webhook_deliveries where endpoint_id = ${endpointId} and state <> 'waiting'
        order by id desc offset ${MAX_FINISHED} limit 1)
      for update skip locked
    ), finished as (
      delete from webhook_deliveries where id in (select id from victims) returning id, message_id
    )
    ${deleteTheirMessages(sql`finished`)}`,
  )
}

/**
 * Completes a statement that deletes deliveries: also deletes messages that have no deliveries
 * left.
 */
function deleteTheirMessages(deliveries: ReturnType<typeof sql>) {
  return sql`
    delete from webhook_messages m
    where m.id in (select message_id from ${deliveries}) and not exists (
      select from webhook_deliveries d
      where d.message_id = m.id and d.id not in (select id from ${deliveries}))`
}

/** Deletes an account's messages without deliveries. */
export async function deleteMessagesWithoutDeliveries(scope: AccountScope<Tx>): Promise<void> {
  await executeWithHashJoins(
    unscoped(scope),
    sql`
    delete from webhook_messages where id in (
      select id from webhook_messages m
      where m.account_id = ${scope.accountId}
        and not exists (select from webhook_deliveries d where d.message_id = m.id)
      for update skip locked)`,
  )
}

/** The number of rows deleted per statement, which limits its duration. */
const BATCH = 5000

/** Deletes old messages, and pending clicks without an endpoint. */
export async function deleteOldMessages(db: Db, before: Date): Promise<void> {
  // Deletes deliveries before messages, like every transaction, to avoid deadlocks.
  const deliveries = sql`
    delete from webhook_deliveries where id in (
      select d.id from webhook_messages m join webhook_deliveries d on d.message_id = m.id
      where m.created_at < ${before} limit ${BATCH} for update of d skip locked)`
  const messages = sql`
    delete from webhook_messages where id in (
      select id from webhook_messages m where m.created_at < ${before}
        and not exists (select from webhook_deliveries d where d.message_id = m.id)
      limit ${BATCH} for update skip locked)`
  for (const statement of [deliveries, messages]) {
    const deleteBatch = (tx: Tx) => executeWithHashJoins(tx, statement)
    while ((await inTransaction(db, deleteBatch)) === BigInt(BATCH));
  }
  await db
    .deleteFrom('webhook_clicks')
    .where('endpoint_id', 'not in', (eb) =>
      eb.selectFrom('webhook_endpoints').select('id').where('disabled_at', 'is', null),
    )
    .execute()
}
