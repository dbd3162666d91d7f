import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { createBatcher } from '../concurrency/batch.ts'
import type { ErrorCode } from '../errors.ts'
import { toAccount } from './account.queries.ts'
import type { Account } from './account.ts'
import { hashKey, isWellFormedKey } from './api-key.ts'
import { AHEAD_SECONDS, isOpen } from './rate-window.queries.ts'

/** The rate window that a request fell into. */
export type RateWindow = {
  limit: number
  remaining: number
  /** When the window ends: Unix seconds, and whole seconds from now, at least 1. */
  reset: number
  retryAfter: number
}

export type AccessResult =
  | { account: Account; rejection?: undefined; window: RateWindow }
  | { account?: undefined; rejection: ErrorCode; window: RateWindow }

export type Access = ReturnType<typeof createAccess>

type Dependencies = {
  pool: pg.Pool
  limit: number
  /** A keyed hash that stands for the caller's address, which is never stored itself. */
  hashAddress: (address: string) => string
  /** Milliseconds that only move forward. */
  monotonic?: () => number
}

type Row = {
  id: number | null
  email: string
  username: string
  plan: 'free' | 'pro'
  expires_at: Date | null
  suspended_at: Date | null
  registered_at: Date
  hits: number
  ends_at: number
  left: number
}

type Refused = { until: number; reset: number }

const WINDOW_SECONDS = 60
const REMEMBERED = 10_000

/**
 * Key check and rate limit in one statement, on the database's clock, so that the limit is exact
 * however many processes and machines serve. The window opens with the first request and is fixed;
 * its moment is taken once, before waiting for the row, so both of its columns change together. A
 * request without a valid key counts against `$2`, which stands for the caller's address. Requests of
 * one caller that come while one of them is being counted are counted together, as `$4`.
 */
const STATEMENT = `
with caller as (
  select k.id as key_id, k.last_used_at, a.id, a.email, a.username, a.plan, a.expires_at,
         a.suspended_at, a.registered_at
  from api_keys k join accounts a on a.id = k.account_id
  where k.hash = $1 and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > clock_timestamp())
), used as (
  update api_keys set last_used_at = clock_timestamp()
  where id in (select key_id from caller where last_used_at is null
               or last_used_at not between clock_timestamp() - interval '1 minute'
                                       and clock_timestamp() + interval '1 minute')
), rate as (
  insert into rate_windows as w (subject, started_at, hits)
  values (coalesce((select 'key:' || key_id from caller), $2), clock_timestamp(), $4)
  on conflict (subject) do update set
    hits = case when ${isOpen('$3')}
                then w.hits + excluded.hits else excluded.hits end,
    started_at = case when ${isOpen('$3')}
                      then w.started_at else excluded.started_at end
  returning hits, started_at + $3 * interval '1 second' as ends_at
)
select caller.*, rate.hits, extract(epoch from rate.ends_at)::float8 as ends_at,
       extract(epoch from rate.ends_at - clock_timestamp())::float8 as left
from rate left join caller on true`

/** The window of `$1` without a further hit. */
const PEEK = `
select hits, extract(epoch from started_at + $2 * interval '1 second')::float8 as ends_at,
       extract(epoch from started_at + $2 * interval '1 second' - clock_timestamp())::float8 as left
from rate_windows
where subject = $1 and started_at > clock_timestamp() - $2 * interval '1 second'
  and started_at < clock_timestamp() + interval '${AHEAD_SECONDS} seconds'`

export function createAccess({
  pool,
  limit,
  hashAddress,
  monotonic = () => performance.now(),
}: Dependencies) {
  // Callers over their limit are answered from here, so that a flood costs the database nothing.
  const refused = new LRUCache<string, Refused>({ max: REMEMBERED })
  const batch = createBatcher<undefined, { row: Row; askedAt: number }>()

  function window({ hits, ends_at, left }: Pick<Row, 'hits' | 'ends_at' | 'left'>): RateWindow {
    return {
      limit,
      remaining: Math.max(0, limit - hits),
      reset: Math.ceil(ends_at),
      retryAfter: Math.max(1, Math.ceil(left)),
    }
  }

  function remembered(subject: string): RateWindow | undefined {
    const entry = refused.get(subject)
    if (!entry) return undefined
    const left = entry.until - monotonic()
    if (left <= 0) {
      refused.delete(subject)
      return undefined
    }
    return {
      limit,
      remaining: 0,
      reset: entry.reset,
      retryAfter: Math.max(1, Math.ceil(left / 1000)),
    }
  }

  function remember(subject: string, { left, ends_at }: Row, askedAt: number): void {
    // Counted from before the question, the entry never outlives the database's window.
    refused.set(subject, { until: askedAt + left * 1000, reset: Math.ceil(ends_at) })
  }

  return {
    /** Drops who is over the limit, for when keys or accounts have changed. */
    invalidate: () => refused.clear(),

    /**
     * Counts one request of `key`, or of `address` when the key is missing or not valid, and says
     * whose it is or why it is refused.
     */
    async check({
      key,
      address,
    }: {
      key: string | undefined
      address: string
    }): Promise<AccessResult> {
      const hash = key && isWellFormedKey(key) ? hashKey(key) : undefined
      const stranger = `address:${hashAddress(address)}`
      const subject = hash ? hash.toString('base64') : stranger
      const known = remembered(subject)
      if (known) return { rejection: 'rate_limited', window: known }
      const { answer, position, count } = await batch(
        `${subject} ${stranger}`,
        undefined,
        async ({ length }) => {
          const askedAt = monotonic()
          const { rows } = await pool.query<Row>({
            name: 'access',
            text: STATEMENT,
            values: [hash ?? null, stranger, WINDOW_SECONDS, length],
          })
          return { row: rows[0] as Row, askedAt }
        },
      )
      const { askedAt } = answer
      const row = { ...answer.row, hits: answer.row.hits - count + position }
      if (row.hits > limit) {
        // An invalid key shares its address's window, and may be made valid within it: not remembered.
        if (row.id !== null || !hash) remember(subject, row, askedAt)
        return { rejection: 'rate_limited', window: window(row) }
      }
      if (row.id === null) return { rejection: 'key_required', window: window(row) }
      const account = toAccount({ ...row, id: row.id })
      if (account.suspended) return { rejection: 'account_suspended', window: window(row) }
      return { account, window: window(row) }
    },

    /** The window of a caller without a key, not counted. */
    async peek(address: string): Promise<RateWindow> {
      const values = [`address:${hashAddress(address)}`, WINDOW_SECONDS]
      const { rows } = await pool.query<Row>({ name: 'peek', text: PEEK, values })
      return rows[0] ? window(rows[0]) : this.unknown()
    },

    /** What the headers say when no window can be read. */
    unknown(): RateWindow {
      const reset = Math.ceil(Date.now() / 1000) + WINDOW_SECONDS
      return { limit, remaining: limit, reset, retryAfter: 1 }
    },
  }
}
