import type { Clock } from '../clock.ts'
import { createLru } from '../concurrency/lru.ts'
import type { Db } from '../db/pool.ts'
import type { EventType } from './event.ts'
import { findWanted } from './outbox.queries.ts'
import { queueMessages } from './queue.queries.ts'

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Milliseconds for which is believed what an account wants to be told of: while this process is told of
 * changes, and while it may miss some. Every creation of a link asks.
 */
const KNOWN_FOR = 60_000
const UNSUBSCRIBED_FOR = 2000

type Dependencies = {
  clock: Clock
  /** Milliseconds that only move forward. */
  monotonic?: () => number
}

/** Where features put what others are to be told of, in the transaction in which it happens. */
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
    // What changed meanwhile may have been read before or after its change.
    if (changes === before) known.set(accountId, { wanted, readAt })
    return wanted
  }

  return {
    /** Whether anybody is to be told of such events of an account; mostly it costs no statement. */
    async wants(db: Db, accountId: number, type: EventType): Promise<boolean> {
      const entry = known.get(accountId)
      const knownFor = subscribed ? KNOWN_FOR : UNSUBSCRIBED_FOR
      const isFresh = entry && monotonic() - entry.readAt < knownFor
      const wanted = isFresh ? entry.wanted : await read(db, accountId)
      return wanted.has(type)
    },

    /** Queues one message for each of `data`, for every endpoint that is subscribed to `type`. */
    async put(tx: Db, accountId: number, type: EventType, data: readonly object[]): Promise<void> {
      if (data.length > 0) await queueMessages(tx, { accountId, type, data, now: clock() })
    },

    /** Forgets what an account wants; or all of them, where news may have been missed. */
    invalidate(accountId?: number): void {
      changes += 1
      if (accountId === undefined) known.clear()
      else known.delete(accountId)
    },

    /** Says whether changes arrive; either turn means that some may have been missed. */
    setSubscribed(now: boolean): void {
      subscribed = now
      this.invalidate()
    },
  }
}
