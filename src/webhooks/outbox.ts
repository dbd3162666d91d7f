import { sql } from 'kysely'
import type { Clock } from '../clock.ts'
import { createLru } from '../concurrency/memo.ts'
import { own, unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import { runPrepared } from '../db/prepared.ts'
import type { Tx } from '../db/transaction.ts'
import type { AccountScope } from '../scope.ts'
import { queueMessages } from './queue.queries.ts'
import type { EventType } from './webhook.ts'

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Milliseconds for which an account's subscriptions are cached, with and without notifications of
 * changes. They are needed whenever a link is created.
 */
const CACHE_MS = 60_000
const UNNOTIFIED_CACHE_MS = 2000

type Dependencies = {
  clock: Clock
  /** Returns monotonic milliseconds. */
  monotonic?: () => number
}

/** Creates the outbox. Features queue events here, in the transaction that causes them. */
export function createOutbox({ clock, monotonic = () => performance.now() }: Dependencies) {
  const subscriptions = createLru<number, { events: ReadonlySet<string>; readAt: number }>({
    max: 10_000,
  })
  let receivesNotifications = false
  let changes = 0

  async function readSubscriptions(scope: AccountScope): Promise<ReadonlySet<string>> {
    const readAt = monotonic()
    const before = changes
    const events = await findSubscriptions(scope)
    // A change in the meantime may or may not be included in the result.
    if (changes === before) subscriptions.set(scope.accountId, { events, readAt })
    return events
  }

  return {
    /** Returns whether an account subscribes to an event. Usually needs no query. */
    async hasSubscribers(scope: AccountScope, type: EventType): Promise<boolean> {
      const entry = subscriptions.get(scope.accountId)
      const maxAgeMs = receivesNotifications ? CACHE_MS : UNNOTIFIED_CACHE_MS
      const isFresh = entry && monotonic() - entry.readAt < maxAgeMs
      const events = isFresh ? entry.events : await readSubscriptions(scope)
      return events.has(type)
    },

    /** Queues one message per element of `data` for each endpoint that subscribes to `type`. */
    async queueEvents(
      scope: AccountScope<Tx>,
      type: EventType,
      data: readonly object[],
    ): Promise<void> {
      if (data.length > 0)
        await queueMessages(unscoped(scope), {
          accountId: scope.accountId,
          type,
          data,
          now: clock(),
        })
    },

    /**
     * Invalidates the subscriptions of an account, or of all accounts if notifications may have
     * been missed.
     */
    invalidate(accountId?: number): void {
      changes += 1
      if (accountId === undefined) subscriptions.clear()
      else subscriptions.delete(accountId)
    },

    /** Records whether notifications are received. When this changes, some may have been missed. */
    setSubscribed(isSubscribed: boolean): void {
      receivesNotifications = isSubscribed
      this.invalidate()
    },
  }
}

/** Returns the events to which an account's enabled endpoints subscribe. */
async function findSubscriptions(scope: AccountScope): Promise<Set<string>> {
  const query = own(scope)
    .selectFrom('webhook_endpoints')
    .select('events')
    .where('disabled_at', 'is', null)
    .compile()
  const rows = await runPrepared(unscoped(scope), query)
  return new Set(rows.flatMap(({ events }) => events))
}

/** Returns the accounts that subscribe to clicks. */
async function findClickAccounts(db: Db): Promise<Set<number>> {
  const rows = await db
    .selectFrom('webhook_endpoints')
    .select('account_id')
    .distinct()
    .where(sql`'link.clicked'`, '=', sql`any (events)`)
    .where('disabled_at', 'is', null)
    .execute()
  return new Set(rows.map(({ account_id }) => account_id))
}

type LinkClicks = { accountId: number; linkId: number; clicks: number }

/** Adds clicks to the pending clicks of each subscribed endpoint, in a fixed order. */
async function collectClicks(tx: Tx, clicks: readonly LinkClicks[]): Promise<void> {
  await sql`
    insert into webhook_clicks (endpoint_id, link_id, clicks)
    select e.id, n.link_id, n.clicks
    from unnest(${clicks.map(({ accountId }) => accountId)}::bigint[],
      ${clicks.map(({ linkId }) => linkId)}::bigint[],
      ${clicks.map(({ clicks }) => clicks)}::bigint[]) n (account_id, link_id, clicks)
    join webhook_endpoints e on e.account_id = n.account_id
    where 'link.clicked' = any (e.events) and e.disabled_at is null
    order by e.id, n.link_id
    on conflict (endpoint_id, link_id) do update
    set clicks = webhook_clicks.clicks + excluded.clicks`.execute(tx)
}

/**
 * Collects clicks for subscribed endpoints in the transaction that imports the clicks. If there are
 * no subscriptions, this only queries one small table.
 */
export async function recordClickEvents(
  tx: Tx,
  totals: { link: Float64Array; clicks: Float64Array },
  accountsByLink: ReadonlyMap<number, number>,
): Promise<void> {
  const accounts = await findClickAccounts(tx)
  if (accounts.size === 0) return
  const collected = Array.from(totals.link).flatMap((linkId, index) => {
    const accountId = accountsByLink.get(linkId) ?? 0
    const clicks = totals.clicks[index] ?? 0
    return clicks > 0 && accounts.has(accountId) ? { accountId, linkId, clicks } : []
  })
  if (collected.length > 0) await collectClicks(tx, collected)
}
