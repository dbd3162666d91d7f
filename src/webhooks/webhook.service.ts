import type { Context } from '../context.ts'
import { own, unscoped } from '../db/account-rows.ts'
import { notify } from '../db/notify.ts'
import { inTransaction, type Tx, transact } from '../db/transaction.ts'
import { AppError, checkAllAsync, invalid } from '../errors.ts'
import { parseOutboundUrl } from '../net/guarded-fetch.ts'
import { OutboundError } from '../net/outbound-error.ts'
import type { AccountScope, Scope } from '../scope.ts'
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
export async function getWebhook(scope: AccountScope, id: number): Promise<WebhookEndpoint> {
  const endpoint = await queries.findEndpoint(scope, id)
  if (!endpoint) throw new AppError('not_found')
  return endpoint
}

export async function listWebhooks(scope: AccountScope): Promise<WebhookEndpoint[]> {
  const rows = await own(scope)
    .selectFrom('webhook_endpoints')
    .selectAll()
    .orderBy('id', 'desc')
    .execute()
  return rows.map(queries.toEndpoint)
}

/**
 * Adds an endpoint with a new secret and returns its id.
 *
 * @throws AppError `invalid_input` naming `url` or `events`, `storage_full`
 */
export async function addWebhook(
  scope: Scope<Context>,
  input: { url: string; events: readonly string[] },
): Promise<number> {
  const events = EVENT_TYPES.filter((type) => input.events.includes(type))
  const [url] = await checkAllAsync(
    () => parseUrl(input.url),
    () => requireEvents(events),
    (hasFailed) => hasFailed && requireFewEndpoints(scope),
  )
  const values = { account_id: scope.accountId, url, secret: generateSecret(), events: [...events] }
  return changeSubscriptions(scope, async (tx) => {
    await scope.storage.require({ ...scope, db: tx })
    await queries.lockAccount({ ...scope, db: tx })
    await requireFewEndpoints({ ...scope, db: tx })
    return queries.insertEndpoint(tx, { ...values, created_at: scope.clock() })
  })
}

/** Deletes an endpoint with its messages. @throws AppError `not_found` */
export function deleteWebhook(scope: Scope<Context>, id: number): Promise<void> {
  return changeSubscriptions(scope, async (tx) => {
    if (!(await queries.deleteEndpoint({ ...scope, db: tx }, id))) throw new AppError('not_found')
  })
}

/**
 * Enables a disabled endpoint.
 *
 * @throws AppError `not_found`
 */
export function enableWebhook(scope: Scope<Context>, id: number): Promise<void> {
  return changeSubscriptions(scope, async (tx) => {
    const reset = { failures: 0, failing_since: null, paused_until: null }
    const enabled = { ...reset, disabled_at: null, disabled_by: null }
    if (!(await queries.updateEndpoint({ ...scope, db: tx }, id, enabled)))
      throw new AppError('not_found')
  })
}

/**
 * Replaces an endpoint's secret. For a day, messages are also signed with the old one, so that
 * there is time to update the receiver.
 *
 * @throws AppError `not_found`
 */
export async function rotateWebhookSecret(scope: Scope<Context>, id: number): Promise<void> {
  const until = new Date(scope.clock().getTime() + OLD_SECRET_MS)
  if (
    !(await queries.replaceSecret(
      unscoped(scope),
      { accountId: scope.accountId, id },
      generateSecret(),
      until,
    ))
  ) {
    throw new AppError('not_found')
  }
}

/** Lists the most recent messages to an endpoint, newest first. @throws AppError `not_found` */
export async function listWebhookDeliveries(
  scope: AccountScope,
  id: number,
): ReturnType<typeof queries.listDeliveries> {
  await getWebhook(scope, id)
  return queries.listDeliveries(unscoped(scope), id, MAX_LISTED)
}

/** Queues a test message. @throws AppError `not_found` */
export async function testWebhook(scope: Scope<Context>, id: number): Promise<void> {
  await endPause(scope, id)
  const data = [{ message: 'A test, sent from the console.' }]
  const now = scope.clock()
  const message = { accountId: scope.accountId, endpointId: id, type: TEST_EVENT, data, now }
  await inTransaction(unscoped(scope), (tx) => queueMessages(tx, message))
}

/** Queues a message again, with its original id. @throws AppError `not_found` */
export async function resendWebhookMessage(
  scope: Scope<Context>,
  id: number,
  deliveryId: number,
): Promise<void> {
  await endPause(scope, id)
  if (!(await queries.restartDelivery(unscoped(scope), id, deliveryId, scope.clock()))) {
    throw new AppError('not_found')
  }
}

/**
 * Runs `work` in a transaction that notifies all processes that the account's subscriptions have
 * changed.
 */
async function changeSubscriptions<T>(
  scope: Scope<Context>,
  work: (tx: Tx) => Promise<T>,
): Promise<T> {
  const result = await transact(scope, async (tx) => {
    const result = await work(unscoped(tx))
    await notify(unscoped(tx), [{ kind: 'webhooks', accountId: scope.accountId }])
    return result
  })
  scope.outbox.invalidate(scope.accountId)
  return result
}

/** Ends the pause of an endpoint, because a message that a user requests is sent immediately. */
async function endPause(scope: AccountScope, id: number): Promise<void> {
  if (!(await queries.updateEndpoint(scope, id, { paused_until: null }))) {
    throw new AppError('not_found')
  }
}

async function requireFewEndpoints(scope: AccountScope): Promise<void> {
  if ((await listWebhooks(scope)).length >= MAX_ENDPOINTS) {
    throw invalid('url', 'too_many_endpoints', { max: MAX_ENDPOINTS })
  }
}

function requireEvents(events: readonly string[]): void {
  if (events.length === 0) throw invalid('events', 'event_needed')
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
