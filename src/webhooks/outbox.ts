import type { Clock } from '../clock.ts'
import { createLru } from '../concurrency/lru.ts'
import type { Db } from '../db/pool.ts'
import type { EventType } from './event.ts'
import { findSubscriptions } from './outbox.queries.ts'
import { queueMessages } from './queue.queries.ts'

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

  async function readSubscriptions(db: Db, accountId: number): Promise<ReadonlySet<string>> {
    const readAt = monotonic()
    const before = changes
    const events = await findSubscriptions(db, accountId)
    // A change in the meantime may or may not be included in the result.
    if (changes === before) subscriptions.set(accountId, { events, readAt })
    return events
  }

  return {
    /** Returns whether an account subscribes to an event. Usually needs no query. */
    async hasSubscribers(db: Db, accountId: number, type: EventType): Promise<boolean> {
      const entry = subscriptions.get(accountId)
      const maxAgeMs = receivesNotifications ? CACHE_MS : UNNOTIFIED_CACHE_MS
      const isFresh = entry && monotonic() - entry.readAt < maxAgeMs
      const events = isFresh ? entry.events : await readSubscriptions(db, accountId)
      return events.has(type)
    },

    /** Queues one message per element of `data` for each endpoint that subscribes to `type`. */
    async queueEvents(
      tx: Db,
      accountId: number,
      type: EventType,
      data: readonly object[],
    ): Promise<void> {
      if (data.length > 0) await queueMessages(tx, { accountId, type, data, now: clock() })
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
