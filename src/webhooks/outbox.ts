import type { Clock } from '../clock.ts'
import { createLru } from '../concurrency/lru.ts'
import type { Db } from '../db/pool.ts'
import type { EventType } from './event.ts'
import { findWanted } from './outbox.queries.ts'
import { queueMessages } from './queue.queries.ts'

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Milliseconds that an account's subscriptions are cached, with and without notifications of
 * changes. Every creation of a link needs them.
 */
const CACHE_MS = 60_000
const UNNOTIFIED_CACHE_MS = 2000

type Dependencies = {
  clock: Clock
  /** Returns monotonic milliseconds. */
  monotonic?: () => number
}

/** Creates the outbox, in which features queue events within the transaction that causes them. */
export function createOutbox({ clock, monotonic = () => performance.now() }: Dependencies) {
  const known = createLru<number, { wanted: ReadonlySet<string>; readAt: number }>({
    max: 10_000,
  })
  let subscribed = false
  let changes = 0

  async function read(db: Db, accountId: number): Promise<ReadonlySet<string>> {
    const readAt = monotonic()
    const before = changes
    const wanted = await findWanted(db, accountId)
    // A change in the meantime may or may not be included in what was read.
    if (changes === before) known.set(accountId, { wanted, readAt })
    return wanted
  }

  return {
    /** Returns whether an account subscribes to an event, usually from the cache. */
    async wants(db: Db, accountId: number, type: EventType): Promise<boolean> {
      const entry = known.get(accountId)
      const knownFor = subscribed ? CACHE_MS : UNNOTIFIED_CACHE_MS
      const isFresh = entry && monotonic() - entry.readAt < knownFor
      const wanted = isFresh ? entry.wanted : await read(db, accountId)
      return wanted.has(type)
    },

    /** Queues one message per element of `data` for every endpoint subscribed to `type`. */
    async put(tx: Db, accountId: number, type: EventType, data: readonly object[]): Promise<void> {
      if (data.length > 0) await queueMessages(tx, { accountId, type, data, now: clock() })
    },

    /**
     * Invalidates the subscriptions of an account, or of all accounts if notifications may have
     * been missed.
     */
    invalidate(accountId?: number): void {
      changes += 1
      if (accountId === undefined) known.clear()
      else known.delete(accountId)
    },

    /**
     * Records whether notifications are received. Either change means that some may have been
     * missed.
     */
    setSubscribed(now: boolean): void {
      subscribed = now
      this.invalidate()
    },
  }
}
