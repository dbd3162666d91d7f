import { createDataLoader } from '../concurrency/data-loader.ts'
import { createLru } from '../concurrency/lru.ts'
import type { Db } from '../db/pool.ts'
import type { ErrorCode } from '../errors.ts'
import {
  type AccessRow,
  type Caller,
  countRequests,
  findValidKeys,
  findWindow,
  type WindowRow,
} from './access.queries.ts'
import { toAccount } from './account.queries.ts'
import type { Account } from './account.ts'
import { hashKey, isWellFormedKey } from './api-key.ts'
import type { KeyRights } from './key-scope.ts'
import { WINDOW_SECONDS } from './rate-window.queries.ts'
import { createRejectionMemory } from './rejection-memory.ts'

/** The rate window of a request. */
export type RateWindow = {
  limit: number
  remaining: number
  /** The end of the window: in Unix seconds, and in whole seconds from now, at least 1. */
  reset: number
  retryAfter: number
}

/** The key of a request, with its permissions. */
export type ValidKey = KeyRights & { id: number }

export type AccessResult =
  | { account: Account; key: ValidKey; rejection?: undefined; window: RateWindow }
  | { account?: undefined; key?: undefined; rejection: ErrorCode; window: RateWindow }

export type Access = ReturnType<typeof createAccess>

type Dependencies = {
  db: Db
  limit: number
  /** Returns a keyed hash of the caller's address, which is never stored itself. */
  hashAddress: (address: string) => string
  /** Returns monotonic milliseconds. */
  monotonic?: () => number
}

/** A request with a key that was valid before. */
type KnownRequest = Omit<Caller, 'count'> & { id: string }
/** The result for a request counted together with `later` more of the same window. */
type CountedRequest = { row: AccessRow; requestedAt: number; later: number }
/**
 * The result of looking up a key: valid, over the limit, or counted as a request without a valid
 * key.
 */
type LookupResult = 'valid' | { over: RateWindow } | { counted: CountedRequest }

const MAX_CACHED_KEYS = 20_000
/** The maximum number of requests counted, or keys looked up, per statement. */
const BATCH_SIZE = 500

/**
 * Checks API requests: the key and the rate limit in one statement, with rejections from memory.
 */
export function createAccess({
  db,
  limit,
  hashAddress,
  monotonic = () => performance.now(),
}: Dependencies) {
  // Rejections over the limit are answered from memory, so that a flood does not reach the
  // database.
  const rejections = createRejectionMemory({ monotonic })
  // Keys that were recently valid, so that they are not subject to the limit of their address.
  const known = createLru<string, true>({ max: MAX_CACHED_KEYS })
  // One statement at a time. Requests that arrive while it runs are counted by the next one.
  const countKnown = createDataLoader({ load: countBatch, maxKeys: BATCH_SIZE, maxConcurrent: 1 })
  const lookUpUnknown = createDataLoader({ load: lookUp, maxKeys: BATCH_SIZE, maxConcurrent: 1 })

  function window({ hits, ends_at, left }: WindowRow): RateWindow {
    return {
      limit,
      remaining: Math.max(0, limit - hits),
      reset: Math.ceil(ends_at),
      retryAfter: Math.max(1, Math.ceil(left)),
    }
  }

  function remembered(subject: string): RateWindow | undefined {
    const { secondsLeft, reset } = rejections.find(subject) ?? {}
    if (secondsLeft === undefined || reset === undefined) return undefined
    return { limit, remaining: 0, reset, retryAfter: secondsLeft }
  }

  function remember(subject: string, { left, ends_at }: WindowRow, requestedAt: number): void {
    // Starts before the query, so that the entry never outlives the database's window.
    rejections.add(subject, left, { since: requestedAt, reset: Math.ceil(ends_at) })
  }

  /**
   * Counts a request with a key that was valid before. If it no longer is, the request counts for
   * the address.
   */
  async function checkKnown(hash: Buffer, addressSubject: string): Promise<AccessResult> {
    const id = hash.toString('base64')
    const over = remembered(id)
    if (over) return { rejection: 'rate_limited', window: over }
    const counted = await countKnown({ id, hash, stranger: addressSubject })
    const isValid = counted.row.id !== null
    if (!isValid) known.delete(id)
    return toAccessResult(counted, isValid ? id : addressSubject)
  }

  /** Counts the requests of several callers, grouped by caller, and returns each one's result. */
  async function countBatch(requests: readonly KnownRequest[]): Promise<CountedRequest[]> {
    const callers = new Map<string, Caller>()
    for (const { id, hash, stranger: addressSubject } of requests) {
      const name = `${id} ${addressSubject}`
      const caller = callers.get(name)
      if (caller) caller.count += 1
      else callers.set(name, { hash, stranger: addressSubject, count: 1 })
    }
    const requestedAt = monotonic()
    const rows = await countRequests(db, [...callers.values()])
    const rowsByCaller = new Map([...callers.keys()].map((name, index) => [name, rows[index]]))
    const later = new Map<string, number>()
    const counted = requests
      .toReversed()
      .map(({ id, stranger: addressSubject }): CountedRequest => {
        const row = rowsByCaller.get(`${id} ${addressSubject}`)
        if (!row) throw new Error('a request was counted without an answer')
        const { subject } = row
        const behind = later.get(subject) ?? 0
        later.set(subject, behind + 1)
        return { row, requestedAt, later: behind }
      })
    return counted.reverse()
  }

  /**
   * Counts a request without a valid key for the address. Unknown keys of an address are looked up
   * together, one statement at a time, and not at all once the address is over its limit, because a
   * caller can invent any number of well-formed keys.
   */
  async function checkUnknown(
    hash: Buffer | undefined,
    addressSubject: string,
  ): Promise<AccessResult> {
    const over = remembered(addressSubject)
    if (over) return { rejection: 'rate_limited', window: over }
    const found = await lookUpUnknown(hash, addressSubject)
    if (found === 'valid') {
      if (!hash) throw new Error('a request without a key was not counted')
      known.set(hash.toString('base64'), true)
      return checkKnown(hash, addressSubject)
    }
    if ('over' in found) return { rejection: 'rate_limited', window: found.over }
    return toAccessResult(found.counted, addressSubject)
  }

  async function lookUp(
    hashes: readonly (Buffer | undefined)[],
    addressSubject: string,
  ): Promise<LookupResult[]> {
    const over = remembered(addressSubject)
    if (over) return hashes.map(() => ({ over }))
    const given = hashes.filter((hash) => hash !== undefined)
    const valid = given.length > 0 ? await findValidKeys(db, given) : []
    const unknown = hashes.map((hash) => !hash || !valid.some((each) => each.equals(hash)))
    let later = unknown.filter(Boolean).length
    const counted = later > 0 ? await countUnknown(addressSubject, later) : undefined
    return unknown.map((isUnknown) => {
      if (!counted || !isUnknown) return 'valid'
      later -= 1
      return { counted: { ...counted, later } }
    })
  }

  async function countUnknown(
    addressSubject: string,
    count: number,
  ): Promise<Omit<CountedRequest, 'later'>> {
    const requestedAt = monotonic()
    const [row] = await countRequests(db, [{ hash: undefined, stranger: addressSubject, count }])
    if (!row) throw new Error('a request was counted without an answer')
    return { row, requestedAt }
  }

  function toAccessResult(
    { row, requestedAt, later }: CountedRequest,
    subject: string,
  ): AccessResult {
    const own = { ...row, hits: row.hits - later }
    if (own.hits > limit) {
      remember(subject, own, requestedAt)
      return { rejection: 'rate_limited', window: window(own) }
    }
    if (own.id === null) return { rejection: 'key_required', window: window(own) }
    const account = toAccount({ ...own, id: own.id })
    if (account.suspended) return { rejection: 'account_suspended', window: window(own) }
    return { account, key: toValidKey(own), window: window(own) }
  }

  return {
    /** Clears the rejections after a change of keys or accounts. */
    invalidate: () => rejections.clear(),

    /**
     * Counts a request of `key`, or of `address` if the key is missing or invalid. Returns the
     * account and key, or the rejection.
     */
    async check({
      key,
      address,
    }: {
      key: string | undefined
      address: string
    }): Promise<AccessResult> {
      const hash = key && isWellFormedKey(key) ? hashKey(key) : undefined
      const addressSubject = `address:${hashAddress(address)}`
      return hash && known.has(hash.toString('base64'))
        ? checkKnown(hash, addressSubject)
        : checkUnknown(hash, addressSubject)
    },

    /** Returns the window of a caller without a key, without counting. */
    async peek(address: string): Promise<RateWindow> {
      const row = await findWindow(db, `address:${hashAddress(address)}`)
      return row ? window(row) : this.unknown()
    },

    /** Returns the rate headers for when no window can be read. */
    unknown(): RateWindow {
      const reset = Math.ceil(Date.now() / 1000) + WINDOW_SECONDS
      return { limit, remaining: limit, reset, retryAfter: 1 }
    },
  }
}

function toValidKey({ key_id, scope, domain_id, host, origin }: AccessRow): ValidKey {
  return { id: key_id, scope, domain: domain_id === null ? null : { id: domain_id, host, origin } }
}
