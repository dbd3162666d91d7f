import type { Context } from '../context.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError, invalid } from '../errors.ts'
import { parseOutboundUrl } from '../net/guarded-fetch.ts'
import { OutboundError } from '../net/outbound-error.ts'
import { queueMessages } from './queue.queries.ts'
import { generateSecret } from './sign.ts'
import * as queries from './webhook.queries.ts'
import type { WebhookEndpoint } from './webhook.ts'
import { EVENT_TYPES, TEST_EVENT } from './webhook.ts'

const MAX_ENDPOINTS = 10
const MAX_URL_BYTES = 2048
const MAX_LISTED = 100
/** Milliseconds for which messages are also signed with the replaced secret. */
const OLD_SECRET_MS = 86_400_000

/** Returns an endpoint. @throws AppError `not_found` */
export async function getWebhook(db: Db, accountId: number, id: number): Promise<WebhookEndpoint> {
  const endpoint = await queries.findEndpoint(db, accountId, id)
  if (!endpoint) throw new AppError('not_found')
  return endpoint
}

export function listWebhooks(db: Db, accountId: number): Promise<WebhookEndpoint[]> {
  return queries.listEndpoints(db, accountId)
}

/**
 * Adds an endpoint with a new secret and returns its id.
 *
 * @throws AppError `invalid_input` naming `url` or `events`, `storage_full`
 */
export async function addWebhook(
  ctx: Context,
  db: Db,
  accountId: number,
  input: { url: string; events: readonly string[] },
): Promise<number> {
  const url = parseUrl(input.url)
  const events = EVENT_TYPES.filter((type) => input.events.includes(type))
  if (events.length === 0) throw invalid('events', 'event_needed')
  const values = { account_id: accountId, url, secret: generateSecret(), events: [...events] }
  return changeSubscriptions(ctx, db, accountId, async (tx) => {
    await ctx.storage.require(tx, accountId)
    await queries.lockAccount(tx, accountId)
    if ((await queries.listEndpoints(tx, accountId)).length >= MAX_ENDPOINTS) {
      throw invalid('url', 'too_many_endpoints', { max: MAX_ENDPOINTS })
    }
    return queries.insertEndpoint(tx, { ...values, created_at: ctx.clock() })
  })
}

/** Deletes an endpoint with its messages. @throws AppError `not_found` */
export function deleteWebhook(ctx: Context, db: Db, accountId: number, id: number): Promise<void> {
  return changeSubscriptions(ctx, db, accountId, async (tx) => {
    if (!(await queries.deleteEndpoint(tx, accountId, id))) throw new AppError('not_found')
  })
}

/**
 * Enables a disabled endpoint.
 *
 * @throws AppError `not_found`
 */
export function enableWebhook(ctx: Context, db: Db, accountId: number, id: number): Promise<void> {
  return changeSubscriptions(ctx, db, accountId, async (tx) => {
    const reset = { failures: 0, failing_since: null, paused_until: null }
    const enabled = { ...reset, disabled_at: null, disabled_by: null }
    if (!(await queries.updateEndpoint(tx, accountId, id, enabled))) throw new AppError('not_found')
  })
}

/**
 * Replaces an endpoint's secret. For a day, messages are also signed with the old one, so that
 * there is time to update the receiver.
 *
 * @throws AppError `not_found`
 */
export async function rotateWebhookSecret(
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
): Promise<void> {
  const until = new Date(ctx.clock().getTime() + OLD_SECRET_MS)
  if (!(await queries.replaceSecret(db, { accountId, id }, generateSecret(), until))) {
    throw new AppError('not_found')
  }
}

/** Lists the most recent messages to an endpoint, newest first. @throws AppError `not_found` */
export async function listWebhookDeliveries(
  db: Db,
  accountId: number,
  id: number,
): ReturnType<typeof queries.listDeliveries> {
  await getWebhook(db, accountId, id)
  return queries.listDeliveries(db, id, MAX_LISTED)
}

/** Queues a test message. @throws AppError `not_found` */
export async function testWebhook(
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
): Promise<void> {
  await endPause(db, accountId, id)
  const data = [{ message: 'A test, sent from the console.' }]
  const now = ctx.clock()
  await queueMessages(db, { accountId, endpointId: id, type: TEST_EVENT, data, now })
}

/** Queues a message again, with its original id. @throws AppError `not_found` */
export async function resendWebhookMessage(
  ctx: Context,
  db: Db,
  accountId: number,
  id: number,
  deliveryId: number,
): Promise<void> {
  await endPause(db, accountId, id)
  if (!(await queries.restartDelivery(db, id, deliveryId, ctx.clock()))) {
    throw new AppError('not_found')
  }
}

/**
 * Runs `work` in a transaction that notifies all processes that the account's subscriptions have
 * changed.
 */
async function changeSubscriptions<T>(
  ctx: Context,
  db: Db,
  accountId: number,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const result = await inTransaction(db, async (tx) => {
    const result = await work(tx)
    await notify(tx, [{ kind: 'webhooks', accountId }])
    return result
  })
  ctx.outbox.invalidate(accountId)
  return result
}

/** Ends the pause of an endpoint, because a message that a user requests is sent immediately. */
async function endPause(db: Db, accountId: number, id: number): Promise<void> {
  if (!(await queries.updateEndpoint(db, accountId, id, { paused_until: null }))) {
    throw new AppError('not_found')
  }
}

function parseUrl(text: string): string {
  if (text.trim() === '') throw invalid('url', 'empty')
  const { href } = parseOutbound(text.trim())
  if (href.length > MAX_URL_BYTES) throw invalid('url', 'at_most_bytes', { max: MAX_URL_BYTES })
  return href
}

function parseOutbound(text: string): URL {
  try {
    return parseOutboundUrl(text)
  } catch (error) {
    if (error instanceof OutboundError) throw invalid('url', `outbound_${error.reason}`)
    throw error
  }
}
