import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import type { Tx } from '../db/transaction.ts'
import type { EventType } from '../webhooks/event.ts'
import { findLinks } from './link.queries.ts'
import type { Link } from './link.ts'

type LinkEvent = Extract<EventType, `link.${string}`>

/** Returns whether a webhook of the account subscribes to a link event. */
export function hasSubscribers(
  { outbox }: Context,
  db: Db,
  accountId: number,
  type: LinkEvent,
): Promise<boolean> {
  return outbox.hasSubscribers(db, accountId, type)
}

/**
 * Publishes the current state of links in the transaction, if a webhook subscribes to the event.
 */
export async function publishLinks(
  { config, outbox }: Context,
  tx: Tx,
  accountId: number,
  type: LinkEvent,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0 || !(await outbox.hasSubscribers(tx, accountId, type))) return
  const links = await findLinks(tx, config.baseUrl, accountId, ids)
  await outbox.queueEvents(tx, accountId, type, links.map(describeLink))
}

/** Returns a link in the format for webhooks: API names, times in ISO 8601. */
export function describeLink(link: Link) {
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
  { config, outbox }: Context,
  tx: Tx,
  accountId: number,
  { id, problem, destination }: { id: number; problem: string; destination: string },
): Promise<void> {
  if (!(await outbox.hasSubscribers(tx, accountId, 'link.broken'))) return
  const links = await findLinks(tx, config.baseUrl, accountId, [id])
  const data = links.map((link) => ({ ...describeLink(link), problem, destination }))
  await outbox.queueEvents(tx, accountId, 'link.broken', data)
}
