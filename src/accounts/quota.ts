import { createLru } from '../concurrency/lru.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'

type QuotaOptions = {
  /** What is counted, each account for itself. */
  kind: 'links' | 'qr_codes'
  /** How many an account may have; 0 for any number. */
  limit: number
  monotonic?: () => number
}

/** With less room than this an account's rows are counted each time, and made one after the other. */
const NEAR = 1000
/** Milliseconds that a count is believed while there is more room than that. */
const KNOWN_FOR = 10_000

/**
 * How much of a kind an account may have. The count that is already committed decides, so that of what
 * is made at the same moment in other processes or transactions a few may come on top, never more than
 * those requests make. Far from the limit it costs a statement now and then.
 */
export function createQuota({ kind, limit, monotonic = () => performance.now() }: QuotaOptions) {
  const known = createLru<number, { room: number; until: number }>({ max: 10_000 })
  const turns = new Map<number, Promise<void>>()

  async function roomOf(db: Db, accountId: number): Promise<number> {
    return limit - (await countRows(db, kind, accountId))
  }

  async function inTurn<T>(accountId: number, work: () => Promise<T>): Promise<T> {
    const before = turns.get(accountId)
    const { promise, resolve } = Promise.withResolvers<void>()
    turns.set(accountId, promise)
    try {
      await before
      return await work()
    } finally {
      resolve()
      if (turns.get(accountId) === promise) turns.delete(accountId)
    }
  }

  return {
    /** Does `work`, which is told how many of the `wanted` it may make. */
    async use<T>(
      db: Db,
      accountId: number,
      wanted: number,
      work: (allowed: number) => Promise<T>,
    ): Promise<T> {
      if (limit === 0) return work(wanted)
      let entry = known.get(accountId)
      if (!entry || entry.until <= monotonic() || entry.room - wanted < NEAR) {
        entry = { room: await roomOf(db, accountId), until: monotonic() + KNOWN_FOR }
        known.set(accountId, entry)
      }
      entry.room -= wanted
      if (entry.room >= NEAR) return work(wanted)
      return inTurn(accountId, async () => {
        const room = await roomOf(db, accountId)
        return work(Math.max(0, Math.min(wanted, room)))
      })
    },
  }
}
