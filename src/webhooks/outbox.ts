import { LRUCache } from 'lru-cache'
import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import type { EventType } from './event.ts'
import { findWanted, queueEvents } from './outbox.queries.ts'

export type Outbox = ReturnType<typeof createOutbox>

/**
 * Milliseconds for which is believed what an account wants to be told of. Processes tell each other
 * of changes; this is for one that missed such news.
 */
const KNOWN_FOR = 2000

/** Where features put what others are to be told of, in the transaction in which it happens. */
export function createOutbox({ clock }: { clock: Clock }) {
  const known = new LRUCache<number, ReadonlySet<string>>({ max: 10_000, ttl: KNOWN_FOR })

  return {
    /** Whether anybody is to be told of such events of an account; mostly it costs no statement. */
    async wants(db: Db, accountId: number, type: EventType): Promise<boolean> {
      let wanted = known.get(accountId)
      if (!wanted) {
        wanted = await findWanted(db, accountId)
        known.set(accountId, wanted)
      }
      return wanted.has(type)
    },

    /** Puts one message for each of `data` into the queues of those who want such. */
    async put(tx: Db, accountId: number, type: EventType, data: readonly object[]): Promise<void> {
      if (data.length > 0) await queueEvents(tx, accountId, type, data, clock())
    },

    /** Forgets what an account wants; or all of them, where news may have been missed. */
    invalidate(accountId?: number): void {
      if (accountId === undefined) known.clear()
      else known.delete(accountId)
    },
  }
}
