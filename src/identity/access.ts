import { createDataLoader } from '../concurrency/data-loader.ts'
import { createLru } from '../concurrency/memo.ts'
import { isReadOnlyError } from '../db/connection-error.ts'
import type { Db } from '../db/pool.ts'
import { WINDOW_SECONDS } from '../db/rate-window.queries.ts'
import type { ErrorCode } from '../errors.ts'
import {
  type AccessRow,
  type Caller,
  countRequests,
  findValidKeys,
  findWindow,
  readCallers,
  type WindowRow,
} from './access.queries.ts'
import { toAccount } from './account.queries.ts'
import type { Account } from './account.ts'
import { hashKey, isWellFormedKey } from './api-key.ts'
import type { KeyRights } from './key-scope.ts'
import { createReadOnlyWindows } from './read-only-windows.ts'
import { createRejectionMemory } from './rejection-memory.ts'

/** The rate limit window of a request. */
export type RateWindow = {
  limit: number
  remaining: number
  /** The end of the window in Unix seconds. */
  reset: number
  /** Whole seconds until the end of the window, at least 1. */
  retryAfter: number
}

/** A valid key and its permissions. */
export type ValidKey = KeyRights & { id: number }

export type AccessResult =
  | { account: Account; key: ValidKey; rejection?: undefined; window: RateWindow }
  | { account?: undefined; key?: undefined; rejection: ErrorCode; window: RateWindow }

export type Access = ReturnType<typeof createAccess>

type Dependencies = {
  db: Db
  limit: number
  /** Returns a keyed hash of the caller's IP address. The address itself is never stored. */
  hashAddress: (address: string) => string
  /** Returns monotonic milliseconds. */
  monotonic?: () => number
}

/** A request with a key that was valid when it was last checked. */
type KnownRequest = Omit<Caller, 'count'> & { id: string }
/**
 * A counted request. `later` is the number of requests in the same batch that were counted after
 * it.
 */
type CountedRequest = { row: AccessRow; requestedAt: number; later: number }
/**
 * The result of looking up a key: the key is valid, the IP address is over its limit, or the
 * request was counted as one without a valid key.
 */
type LookupResult = 'valid' | { over: RateWindow } | { counted: CountedRequest }

const MAX_CACHED_KEYS = 20_000
/** The maximum number of requests counted, or keys looked up, per statement. */
const BATCH_SIZE = 500

/**
 * Creates the check of API requests. One statement checks the key and counts the request against
 * the rate limit. Callers already over the limit are rejected from memory.
 */
export function createAccess({
  db,
  limit,
  hashAddress,
  monotonic = () => performance.now(),
}: Dependencies) {
  // A flood of requests over the limit is rejected from memory and does not reach the database.
  const rejections = createRejectionMemory({ monotonic })
  const countInProcess = createReadOnlyWindows()
  // Keys that were recently valid. They bypass the limit of the caller's IP address.
  const recentlyValid = createLru<string, true>({ max: MAX_CACHED_KEYS })
  // One statement runs at a time. Requests that arrive in the meantime are counted by the next one.
  const countKnown = createDataLoader({ load: countBatch, maxKeys: BATCH_SIZE, maxConcurrent: 1 })
  const lookUpUnknown = createDataLoader({
    load: lookUpKeys,
    maxKeys: BATCH_SIZE,
    maxConcurrent: 1,
  })

  function toRateWindow({ hits, ends_at, secondsLeft: left }: WindowRow): RateWindow {
    return {
      limit,
      remaining: Math.max(0, limit - hits),
      reset: Math.ceil(ends_at),
      retryAfter: Math.max(1, Math.ceil(left)),
    }
  }

  function findRejection(subject: string): RateWindow | undefined {
    const { secondsLeft, reset } = rejections.find(subject) ?? {}
    if (secondsLeft === undefined || reset === undefined) return undefined
    return { limit, remaining: 0, reset, retryAfter: secondsLeft }
  }

  function addRejection(
    subject: string,
    { secondsLeft: left, ends_at }: WindowRow,
    requestedAt: number,
  ): void {
    // Starts at the time before the query, so the entry never outlives the database's window.
    rejections.add(subject, left, { since: requestedAt, reset: Math.ceil(ends_at) })
  }

  /**
   * Counts a request with a recently valid key. If the key is no longer valid, the request counts
   * against the IP address.
   */
  async function checkKnownKey(hash: Buffer, addressSubject: string): Promise<AccessResult> {
    const id = hash.toString('base64')
    const over = findRejection(id)
    if (over) return { rejection: 'rate_limited', window: over }
    const counted = await countKnown({ id, hash, addressSubject })
    const isValid = counted.row.id !== null
    if (!isValid) recentlyValid.delete(id)
    return toAccessResult(counted, isValid ? id : addressSubject)
  }

  /** Counts requests in the database or, while it is read-only, in this process. */
  async function count(callers: readonly Caller[]): Promise<AccessRow[]> {
    try {
      return await countRequests(db, callers)
    } catch (error) {
      if (!isReadOnlyError(error)) throw error
    }
    const found = await readCallers(db, callers)
    return found.map(({ count: requests, ...caller }) => ({
      ...caller,
      ...countInProcess(caller.subject, requests),
    }))
  }

  /** Counts requests, grouped by caller, and returns one result per request, in order. */
  async function countBatch(requests: readonly KnownRequest[]): Promise<CountedRequest[]> {
    const callers = new Map<string, Caller>()
    for (const { id, hash, addressSubject } of requests) {
      const name = `${id} ${addressSubject}`
      const caller = callers.get(name)
      if (caller) caller.count += 1
      else callers.set(name, { hash, addressSubject, count: 1 })
    }
    const requestedAt = monotonic()
    const rows = await count([...callers.values()])
    const rowsByCaller = new Map([...callers.keys()].map((name, index) => [name, rows[index]]))
    const later = new Map<string, number>()
    const counted = requests.toReversed().map(({ id, addressSubject }): CountedRequest => {
      const row = rowsByCaller.get(`${id} ${addressSubject}`)
      if (!row) throw new Error('the rate limit query returned no row')
      const { subject } = row
      const laterRequests = later.get(subject) ?? 0
      later.set(subject, laterRequests + 1)
      return { row, requestedAt, later: laterRequests }
    })
    return counted.reverse()
  }

  /**
   * Counts a request without a valid key against the IP address. Unknown keys from one address are
   * looked up together, one statement at a time. Once the address is over its limit, keys are not
   * looked up at all, because a caller can invent any number of well-formed keys.
   */
  async function checkUnknownKey(
    hash: Buffer | undefined,
    addressSubject: string,
  ): Promise<AccessResult> {
    const over = findRejection(addressSubject)
    if (over) return { rejection: 'rate_limited', window: over }
    const lookup = await lookUpUnknown(hash, addressSubject)
    if (lookup === 'valid') {
      if (!hash) throw new Error('a request without a key cannot have a valid key')
      recentlyValid.set(hash.toString('base64'), true)
      return checkKnownKey(hash, addressSubject)
    }
    if ('over' in lookup) return { rejection: 'rate_limited', window: lookup.over }
    return toAccessResult(lookup.counted, addressSubject)
  }

  /**
   * Looks up the keys of requests from one IP address. Counts the requests without a valid key.
   * Returns one result per request, in order.
   */
  async function lookUpKeys(
    hashes: readonly (Buffer | undefined)[],
    addressSubject: string,
  ): Promise<LookupResult[]> {
    const over = findRejection(addressSubject)
    if (over) return hashes.map(() => ({ over }))
    const wellFormed = hashes.filter((hash) => hash !== undefined)
    const valid = wellFormed.length > 0 ? await findValidKeys(db, wellFormed) : []
    const areUnknown = hashes.map((hash) => !hash || !valid.some((each) => each.equals(hash)))
    let later = areUnknown.filter(Boolean).length
    const counted = later > 0 ? await countUnknown(addressSubject, later) : undefined
    return areUnknown.map((isUnknown) => {
      if (!counted || !isUnknown) return 'valid'
      later -= 1
      return { counted: { ...counted, later } }
    })
  }

  async function countUnknown(
    addressSubject: string,
    requests: number,
  ): Promise<Omit<CountedRequest, 'later'>> {
    const requestedAt = monotonic()
    const [row] = await count([{ hash: undefined, addressSubject, count: requests }])
    if (!row) throw new Error('the rate limit query returned no row')
    return { row, requestedAt }
  }

  /**
   * Decides about a counted request. If it is over the limit, also remembers this for `subject`.
   */
  function toAccessResult(
    { row, requestedAt, later }: CountedRequest,
    subject: string,
  ): AccessResult {
    const ownRow = { ...row, hits: row.hits - later }
    if (ownRow.hits > limit) {
      addRejection(subject, ownRow, requestedAt)
      return { rejection: 'rate_limited', window: toRateWindow(ownRow) }
    }
    if (ownRow.id === null) return { rejection: 'key_required', window: toRateWindow(ownRow) }
    const account = toAccount({ ...ownRow, id: ownRow.id })
    if (account.suspended) return { rejection: 'account_suspended', window: toRateWindow(ownRow) }
    return { account, key: toValidKey(ownRow), window: toRateWindow(ownRow) }
  }

  return {
    /** Clears the rejections after a change of keys or accounts. */
    invalidate: () => rejections.clear(),

    /**
     * Counts a request against `key`, or against the IP address if the key is missing or invalid.
     * Returns the account and the key, or the rejection.
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
      return hash && recentlyValid.has(hash.toString('base64'))
        ? checkKnownKey(hash, addressSubject)
        : checkUnknownKey(hash, addressSubject)
    },

    /** Returns the rate limit window of a caller without a key. Does not count a request. */
    async peek(address: string): Promise<RateWindow> {
      const row = await findWindow(db, `address:${hashAddress(address)}`)
      return row ? toRateWindow(row) : this.createUnknownWindow()
    },

    /** Returns a window for the rate limit headers when the database cannot be read. */
    createUnknownWindow(): RateWindow {
      const reset = Math.ceil(Date.now() / 1000) + WINDOW_SECONDS
      return { limit, remaining: limit, reset, retryAfter: 1 }
    },
  }
}

function toValidKey({ key_id, scope, domain_id, host, origin }: AccessRow): ValidKey {
  return { id: key_id, scope, domain: domain_id === null ? null : { id: domain_id, host, origin } }
}
