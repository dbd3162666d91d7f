import { createLru } from '../concurrency/memo.ts'
import { AppError } from '../errors.ts'
import { convertDatabaseError, isUnavailable } from './errors.ts'

type ReadCacheOptions<Value> = {
  /** Reads a value from the database, or null if it does not exist. */
  load: (key: string) => Promise<Value | null>
  /** Reads the value from the local store if it is current. The database is then not queried. */
  findCurrent?: (key: string) => Value | undefined
  /** Reads the last known value from the local store, for use while the database is unavailable. */
  findLatest?: (key: string) => Value | undefined
  /**
   * The maximum number of cached values. Missing values are not cached, because there are no
   * notifications of creations.
   */
  max: number
  /** Milliseconds for which a value is cached while notifications may be missed. */
  unsubscribedTtlMs?: number
  /** Milliseconds for which a caller waits for a fresh value before getting an outdated one. */
  maxWaitMs?: number | undefined
  /** Milliseconds without queries after the database was unreachable. */
  cooldownMs?: number
  monotonic?: () => number
  /** Returns the tags of a value. All values with the same tag can be invalidated together. */
  tagsOf?: (value: Value) => readonly string[]
}

type Entry<Value> = { value: Value; epoch: number; loadedAt: number }

/**
 * Creates a cache of database values, in front of the local store. Values are valid until a change
 * is notified. While notifications may be missed, values expire after `unsubscribedTtlMs`. While
 * the database is unreachable, outdated values are returned. `get` throws AppError
 * `database_unavailable` if it is needed for a value that neither memory nor the local store has.
 */
export function createReadCache<Value extends object>({
  load,
  findCurrent = () => undefined,
  findLatest = () => undefined,
  max,
  unsubscribedTtlMs = 5000,
  maxWaitMs = 100,
  cooldownMs = 500,
  monotonic = () => performance.now(),
  tagsOf = () => [],
}: ReadCacheOptions<Value>) {
  const values = createLru<string, Entry<Value>>({
    max,
    dispose: ({ value }, key) => untag(key, value),
  })
  const keysByTag = new Map<string, Set<string>>()
  const loading = new Map<string, Promise<Value | null>>()
  let epoch = 0
  let hits = 0
  let storeHits = 0
  let misses = 0
  let isSubscribed = true
  let downUntil = 0

  function isFresh(entry: Entry<Value>): boolean {
    return (
      entry.epoch === epoch && (isSubscribed || monotonic() - entry.loadedAt < unsubscribedTtlMs)
    )
  }

  /**
   * Shares one read between concurrent callers. The result is discarded if a change arrives in the
   * meantime.
   */
  function reload(key: string): Promise<Value | null> {
    const runningRead = loading.get(key)
    if (runningRead !== undefined) return runningRead
    const epochAtStart = epoch
    const loadedAt = monotonic()
    const reading = load(key)
      .then((value) => {
        if (loading.get(key) !== reading) return value
        if (value) addEntry(key, { value, epoch: epochAtStart, loadedAt })
        else values.delete(key)
        return value
      })
      .catch((error: unknown) => {
        const rejection = convertDatabaseError(error)
        if (isUnavailable(rejection)) downUntil = monotonic() + cooldownMs
        throw rejection
      })
      .finally(() => {
        if (loading.get(key) === reading) loading.delete(key)
      })
    loading.set(key, reading)
    return reading
  }

  function addEntry(key: string, entry: Entry<Value>): void {
    values.delete(key)
    values.set(key, entry)
    tag(key, entry.value)
  }

  function peek(key: string): Value | undefined {
    const entry = values.get(key)
    if (entry && isFresh(entry)) {
      hits += 1
      return entry.value
    }
    const value = findCurrent(key)
    if (!value) return undefined
    storeHits += 1
    addEntry(key, { value, epoch, loadedAt: monotonic() })
    return value
  }

  function tag(key: string, value: Value): void {
    for (const name of tagsOf(value)) {
      const keys = keysByTag.get(name) ?? new Set()
      keysByTag.set(name, keys.add(key))
    }
  }

  function untag(key: string, value: Value): void {
    for (const name of tagsOf(value)) {
      const keys = keysByTag.get(name)
      keys?.delete(key)
      if (keys?.size === 0) keysByTag.delete(name)
    }
  }

  async function refresh(key: string, old: Value): Promise<Value | null> {
    if (monotonic() < downUntil) return old
    let timer: NodeJS.Timeout | undefined
    const oldAfterWait = new Promise<Value>((resolve) => {
      timer = setTimeout(resolve, maxWaitMs, old)
    })
    const fresh = reload(key).catch((error: unknown) => {
      if (isUnavailable(error)) return old
      throw error
    })
    return Promise.race([fresh, oldAfterWait]).finally(() => clearTimeout(timer))
  }

  return {
    /** Returns the value if it is cached and fresh. Does not wait. */
    peek,

    /**
     * Returns the value from memory, the local store or the database, or null if it does not exist.
     */
    async get(key: string): Promise<Value | null> {
      const value = peek(key)
      if (value) return value
      const entry = values.get(key)
      misses += 1
      const old = entry?.value ?? (isSubscribed ? undefined : findLatest(key))
      if (old) return refresh(key, old)
      try {
        if (monotonic() < downUntil) throw new AppError('database_unavailable')
        return await reload(key)
      } catch (error) {
        const latest = isUnavailable(error) ? findLatest(key) : undefined
        if (latest) return latest
        throw error
      }
    },

    /** Invalidates one key, including a read in progress. */
    invalidate(key: string): void {
      values.delete(key)
      loading.delete(key)
    },

    /**
     * Invalidates all values with a tag, and all reads in progress, because their values may have
     * the tag.
     */
    invalidateTagged(name: string): void {
      loading.clear()
      for (const key of keysByTag.get(name) ?? []) values.delete(key)
    },

    /** Invalidates all matching values with a full scan. Only use this for rare changes. */
    invalidateWhere(matches: (value: Value) => boolean): void {
      loading.clear()
      const keys = [...values.entries()].filter(([, { value }]) => matches(value))
      for (const [key] of keys) values.delete(key)
    },

    /** Removes all values, so that none is returned while the database is unavailable. */
    clear(): void {
      values.clear()
      this.invalidateAll()
    },

    /** Invalidates all values. */
    invalidateAll(): void {
      epoch += 1
      loading.clear()
    },

    /** Records whether notifications are received. When this changes, some may have been missed. */
    setSubscribed(isNowSubscribed: boolean): void {
      isSubscribed = isNowSubscribed
      this.invalidateAll()
    },

    /** Returns the number of lookups served from memory, from the store, and from the database. */
    lookups: () => ({ hits, storeHits, misses }),

    get size(): number {
      return values.size
    },
  }
}
