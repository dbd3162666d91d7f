import type { PeriodicTask } from '../concurrency/repeat.ts'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Scope } from '../scope.ts'
import { queueMessages } from '../webhooks/queue.queries.ts'
import type { EventType } from '../webhooks/webhook.ts'
import * as queries from './changes/scheduled-link-events.queries.ts'
import { findLinks } from './link.queries.ts'
import type { Link } from './link.ts'

/** Minimum milliseconds between two messages about clicks to an endpoint. */
const CLICK_INTERVAL_MS = 1000

/**
 * The maximum number of links in a message about clicks. The message must stay below 20 KB even if
 * the short URLs are long.
 */
const MAX_LINKS = 40

const EXPIRATION_INTERVAL_MS = 5000

/** The number of expired links published per transaction. */
const BATCH = 200

type LinkEvent = Extract<EventType, `link.${string}`>

/**
 * Publishes the current state of links in the transaction, if a webhook subscribes to the event.
 */
export async function publishLinks(
  scope: Scope<Context, Tx>,
  type: LinkEvent,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0 || !(await scope.outbox.hasSubscribers(scope, type))) return
  const links = await findLinks(scope, scope.config.baseUrl, ids)
  await scope.outbox.queueEvents(scope, type, links.map(describeLink))
}

/** Returns a link in the format for webhooks: API names, times in ISO 8601. */
function describeLink(link: Link) {
  return {
    id: link.id,
    alias: link.alias,
    shorturl: link.shortUrl,
    longurl: link.url,
    tags: link.tags,
    status: link.status,
    expiry: link.expiresAt,
    date: link.createdAt,
  }
}

/** Publishes that a link is broken, with the failing destination. */
export async function publishBrokenLink(
  scope: Scope<Context, Tx>,
  { id, problem, destination }: { id: number; problem: string; destination: string },
): Promise<void> {
  if (!(await scope.outbox.hasSubscribers(scope, 'link.broken'))) return
  const links = await findLinks(scope, scope.config.baseUrl, [id])
  const data = links.map((link) => ({ ...describeLink(link), problem, destination }))
  await scope.outbox.queueEvents(scope, 'link.broken', data)
}

/** Creates the periodic tasks that publish clicks and expirations, which no request triggers. */
export function createLinkEventTasks(ctx: Context, db: Db): readonly PeriodicTask[] {
  return [
    { intervalMs: CLICK_INTERVAL_MS, work: () => publishClicks(ctx, db) },
    {
      intervalMs: EXPIRATION_INTERVAL_MS,
      work: async () => {
        const now = ctx.clock()
        if (!(await queries.hasExpirationSubscribers(db))) return
        while ((await publishExpirations(ctx, db, now)) === BATCH);
      },
    },
  ]
}

/** Queues one message with the collected clicks for each endpoint that subscribes to clicks. */
async function publishClicks({ clock, config }: Context, db: Db): Promise<void> {
  const before = new Date(clock().getTime() - CLICK_INTERVAL_MS)
  for (const { id, account_id: accountId } of await queries.findClickRecipients(db, before)) {
    await inTransaction(db, async (tx) => {
      if (!(await queries.lockRecipient(tx, id, before))) return
      const collected = await queries.takeClicks(tx, id, MAX_LINKS)
      const clicksByLink = new Map(collected.map(({ link_id, clicks }) => [link_id, clicks]))
      const clickedLinks = await findLinks({ db: tx, accountId }, config.baseUrl, [
        ...clicksByLink.keys(),
      ])
      const links = clickedLinks.map(({ id, shortUrl }) => {
        return { id, shorturl: shortUrl, clicks: clicksByLink.get(id) ?? 0 }
      })
      if (links.length === 0) return
      const clicks = links.reduce((sum, { clicks }) => sum + clicks, 0)
      const message = { accountId, type: 'link.clicked', data: [{ clicks, links }] }
      const now = clock()
      const [delivery] = await queueMessages(tx, { ...message, endpointId: id, now })
      await queries.setClicksDelivery(tx, id, delivery, now)
    })
  }
}

/**
 * Publishes a batch of links that have expired since the last batch. Returns the number of links.
 */
function publishExpirations({ config, outbox }: Context, db: Db, now: Date): Promise<number> {
  return inTransaction(db, async (tx) => {
    const after = await queries.lockExpirationPosition(tx)
    if (!after || after.at > now) return 0
    const expired = await queries.findExpiredLinks(tx, after, now, BATCH)
    for (const [accountId, accountLinks] of Map.groupBy(expired, (link) => link.account_id)) {
      const ids = accountLinks.map(({ id }) => id)
      const links = await findLinks({ db: tx, accountId }, config.baseUrl, ids)
      await outbox.queueEvents({ db: tx, accountId }, 'link.ended', links.map(describeLink))
    }
    const last = expired.length === BATCH ? expired.at(-1) : undefined
    // All links that expired before `now` have been published, so the id does not matter.
    await queries.updateExpirationPosition(
      tx,
      last?.expires_at ?? now,
      last?.id ?? Number.MAX_SAFE_INTEGER,
    )
    return expired.length
  })
}
