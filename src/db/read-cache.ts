import { createLru } from '../concurrency/lru.ts'
import { AppError } from '../errors.ts'
import { fromDatabase, isUnavailable } from './errors.ts'

type ReadCacheOptions<Value> = {
  /** Reads one value from the database; null when there is none. */
  load: (key: string) => Promise<Value | null>
  /** The value in the local store, if that is current: then the database is not asked. */
  findCurrent?: (key: string) => Value | undefined
  /** The value in the local store, current or not, for when the database does not answer. */
  findLatest?: (key: string) => Value | undefined
  /** Values, and known absences, kept at most. */
  max: number
  maxAbsent?: number
  /** Milliseconds that an absence is believed: nobody is notified of creations. */
  absentFor?: number
  /** Milliseconds that a value is believed while notifications of changes may be missed. */
  unsubscribedFor?: number
  /** Milliseconds that a caller waits for a fresh value when an old one is at hand. */
  patience?: number | undefined
  /** Milliseconds that the database is left alone after it could not be reached. */
  rest?: number
  monotonic?: () => number
  /** What a value was made of, by which it is invalidated with others; for most values nothing. */
  tagsOf?: (value: Value) => readonly string[]
}

type Entry<Value> = { value: Value; epoch: number; loadedAt: number }

export type ReadCache<Value extends object> = ReturnType<typeof createReadCache<Value>>

/**
 * Values of the database kept in memory until a notification of their change, in front of the local store.
 * While notifications may be missed, a value is read again after `unsubscribedFor`. While the database
 * cannot be reached, old values are served; a value that neither memory nor the local store has is then
 * an AppError `database_unavailable`, never an absence.
 */
export function createReadCache<Value extends object>({
  load,
  findCurrent = () => undefined,
  findLatest = () => undefined,
  max,
  maxAbsent = 10_000,
  absentFor = 1000,
  unsubscribedFor = 5000,
  patience = 100,
  rest = 500,
  monotonic = () => performance.now(),
  tagsOf = () => [],
}: ReadCacheOptions<Value>) {
  const values = createLru<string, Entry<Value>>({
    max,
    dispose: ({ value }, key) => untag(key, value),
  })
  const keysByTag = new Map<string, Set<string>>()
  /** Until when each absence is believed. */
  const absent = createLru<string, number>({ max: maxAbsent })
  const loading = new Map<string, Promise<Value | null>>()
  let epoch = 0
  let hits = 0
  let storeHits = 0
  let misses = 0
  let subscribed = true
  let downUntil = 0

  function isFresh(entry: Entry<Value>): boolean {
    return entry.epoch === epoch && (subscribed || monotonic() - entry.loadedAt < unsubscribedFor)
  }

  /** One read for all who ask at the same time, dropped when a change arrives in between. */
  function reload(key: string): Promise<Value | null> {
    const running = loading.get(key)
    if (running !== undefined) return running
    const startedIn = epoch
    const loadedAt = monotonic()
    const reading = load(key)
      .then((value) => {
        if (loading.get(key) !== reading) return value
        if (value) keep(key, { value, epoch: startedIn, loadedAt })
        else {
          values.delete(key)
          absent.set(key, loadedAt + absentFor)
        }
        return value
      })
      .catch((error: unknown) => {
        const rejection = fromDatabase(error)
        if (isUnavailable(rejection)) downUntil = monotonic() + rest
        throw rejection
      })
      .finally(() => {
        if (loading.get(key) === reading) loading.delete(key)
      })
    loading.set(key, reading)
    return reading
  }

  function keep(key: string, entry: Entry<Value>): void {
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
    keep(key, { value, epoch, loadedAt: monotonic() })
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
    const patient = new Promise<Value>((resolve) => {
      timer = setTimeout(resolve, patience, old)
    })
    const fresh = reload(key).catch((error: unknown) => {
      if (isUnavailable(error)) return old
      throw error
    })
    return Promise.race([fresh, patient]).finally(() => clearTimeout(timer))
  }

  return {
    /** The value if it is at hand and fresh; for the path that must not wait. */
    peek,

    /** The value, from memory, the local store or the database; null when there is none. */
    async get(key: string): Promise<Value | null> {
      const value = peek(key)
      if (value) return value
      const entry = values.get(key)
      if (!entry && monotonic() < (absent.get(key) ?? 0)) {
        hits += 1
        return null
      }
      misses += 1
      const old = entry?.value ?? (subscribed ? undefined : findLatest(key))
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

    /** Drops one key, also what is being read of it right now. */
    invalidate(key: string): void {
      values.delete(key)
      absent.delete(key)
      loading.delete(key)
    },

    /** Drops every value with this tag, and whatever is being read right now, which may have it. */
    invalidateTagged(name: string): void {
      loading.clear()
      for (const key of keysByTag.get(name) ?? []) values.delete(key)
    },

    /** The same for every value that fits. It looks at all of them: for changes that are rare. */
    invalidateWhere(fits: (value: Value) => boolean): void {
      loading.clear()
      const keys = [...values.entries()].filter(([, { value }]) => fits(value))
      for (const [key] of keys) values.delete(key)
    },

    /** Has every value read again before it is next believed. */
    invalidateAll(): void {
      epoch += 1
      absent.clear()
      loading.clear()
    },

    /** Says whether changes arrive; either turn means that some may have been missed. */
    setSubscribed(now: boolean): void {
      subscribed = now
      this.invalidateAll()
    },

    /** How often memory had the answer, and how often the database had to be asked. */
    lookups: () => ({ hits, storeHits, misses }),

    get size(): number {
      return values.size
    },
  }
}
