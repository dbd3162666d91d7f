import { KINDS, type Kind, type LocalStore, type Lookups } from '../../db/local-store.ts'
import { type OpenStore, openForReading } from './open-store.ts'
import { isCorruptionError } from './sqlite.ts'
import { FORMAT, findStore, monotonicTime, quarantineStore } from './store-file.ts'

export type StoreReader = ReturnType<typeof createStoreReader>

/**
 * `lagMs` is the milliseconds since the store had all changes, or NaN if unknown since a reboot.
 */
export type StoreState = { links: number; isBuilding: boolean; lagMs: number }

type Options = {
  folder: string
  /** Whether there is no database to query instead, as on an edge. */
  isOnlySource?: boolean
  log: (details: Record<string, unknown>, text: string) => void
}

/** Milliseconds between checks for a new store and for applied changes. */
const CHECK_MS = 20
/** The age in milliseconds up to which a store without a database is trusted to be complete. */
const MAX_LAG_MS = 3000
/** The maximum number of entries waiting to be applied. Beyond it, no entry counts as current. */
const MAX_PENDING = 10_000

/**
 * Reads this machine's store, and switches to its new file after a rebuild. An entry counts as
 * current once the store has applied every change that this process was notified of and every
 * change before the subscription.
 */
export function createStoreReader({ folder, isOnlySource = false, log }: Options) {
  let token: string | undefined
  let store: OpenStore | undefined
  /** The file of another instance or program version. */
  let foreignPath: string | undefined
  let checkedAt = Number.NEGATIVE_INFINITY
  /**
   * The time when the store had all changes, or 0 until it has applied some since it was opened.
   */
  let currentAt = 0
  let subscribedAt = Number.POSITIVE_INFINITY
  let lastFailure = ''
  /** The times of changes that the store may not have applied yet, by kind, or by kind and name. */
  const touched = new Map<string, number>()

  function check(): void {
    const now = monotonicTime()
    if (token === undefined || now - checkedAt < CHECK_MS) return
    checkedAt = now
    const path = findStore(folder)
    if (path && path !== store?.path && path !== foreignPath) switchTo(path)
    const storeTime = store?.readCurrentAt() ?? 0
    // A time recorded before the store was opened may be from before a reboot.
    if (!store || storeTime === store.meta.currentAt || storeTime === currentAt) return
    currentAt = storeTime
    for (const [key, at] of touched) if (at < currentAt) touched.delete(key)
  }

  function switchTo(path: string): void {
    const next = openForReading(path)
    if (next.meta.format !== FORMAT || next.meta.token !== token) {
      next.close()
      foreignPath = path
      return
    }
    // Until now the previous store was read, even if its file was deleted.
    store?.close()
    store = next
    currentAt = 0
  }

  /**
   * Runs a lookup. Returns undefined without a store or if the lookup fails, so that the database
   * is queried instead.
   */
  function lookUp<T>(read: (opened: OpenStore) => T): T | undefined {
    try {
      if (!store) check()
      return store && read(store)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== lastFailure) log({ reason }, 'the link store cannot be read')
      lastFailure = reason
      if (store && isCorruptionError(error)) quarantineStore(store.path)
      store?.close()
      store = undefined
      return undefined
    }
  }

  function lookUpCurrent<T>(
    kind: Kind,
    key: string,
    read: (opened: OpenStore) => T,
  ): T | undefined {
    const isStale = () =>
      !isOnlySource && (currentAt <= subscribedAt || touched.has(kind) || touched.has(key))
    return lookUp((opened) => {
      if (isStale()) check()
      return isStale() ? undefined : read(store ?? opened)
    })
  }

  const current: Lookups = {
    get: (kind, id) => lookUpCurrent(kind, kind, (opened) => opened.get(kind, id)),
    find: (kind, name) =>
      lookUpCurrent(kind, `${kind} ${name}`, (opened) => opened.find(kind, name)),
    list: (kind, group) =>
      lookUpCurrent(kind, kind, (opened) => listIfComplete(opened, kind, group)),
  }

  const latest: Lookups = {
    get: (kind, id) => lookUp((opened) => opened.get(kind, id)),
    // Never returns an entry that has changed since, because its link may have been disabled.
    find: (kind, name) => {
      const isTouched = () => touched.has(`${kind} ${name}`)
      return lookUp((opened) => {
        if (isTouched()) check()
        return isTouched() ? undefined : (store ?? opened).find(kind, name)
      })
    },
    list: (kind, group) => lookUp((opened) => listIfComplete(opened, kind, group)),
  }

  /** Returns whether a store is complete and had all changes a moment ago. */
  function hasEverything(opened: OpenStore): boolean {
    const { copied, currentAt: storeTime } = opened.readMeta()
    return (
      copied === '' &&
      storeTime !== opened.meta.currentAt &&
      monotonicTime() - storeTime < MAX_LAG_MS
    )
  }

  return {
    current,
    latest,

    isAbsent: (kind, name): boolean =>
      isOnlySource &&
      lookUp((opened) => hasEverything(opened) && opened.find(kind, name) === undefined) === true,

    isAbsentInAnyCase: (_kind, name): boolean =>
      isOnlySource &&
      lookUp((opened) => hasEverything(opened) && !opened.hasInAnyCase(name)) === true,

    lacks: (kind, name): boolean =>
      lookUp((opened) => {
        const isTouched = () => touched.has(kind) || touched.has(`${kind} ${name}`)
        if (isTouched()) check()
        const latest = store ?? opened
        return !isTouched() && latest.isComplete() && latest.find(kind, name) === undefined
      }) === true,

    /** Returns a text that changes whenever the store has applied changes. */
    readRevision(): string | undefined {
      return lookUp((opened) => {
        check()
        const latest = store ?? opened
        return `${latest.path} ${latest.readRevision()}`
      })
    },

    /** Starts reading the store if it belongs to the instance with this token. */
    open(instance: string): void {
      token = instance
    },

    touch(kind, name): void {
      const now = monotonicTime()
      if (touched.size >= MAX_PENDING) {
        touched.clear()
        for (const each of KINDS) touched.set(each, now)
      }
      touched.set(name === undefined ? kind : `${kind} ${name}`, now)
    },

    setSubscribed(isSubscribed): void {
      subscribedAt = isSubscribed ? monotonicTime() : Number.POSITIVE_INFINITY
    },

    /** Returns the state of the store, or undefined if there is none. */
    describe: (): StoreState | undefined =>
      lookUp((opened) => {
        check()
        const { links, copied, currentAt } = (store ?? opened).readMeta()
        const isKnown = currentAt > 0 && currentAt <= monotonicTime()
        const lagMs = isKnown ? monotonicTime() - currentAt : Number.NaN
        return { links, isBuilding: copied !== '', lagMs }
      }),

    close(): void {
      store?.close()
      store = undefined
    },
  } satisfies LocalStore & Record<string, unknown>
}

/**
 * Lists entries. Returns undefined while the store is being built, because entries may be missing.
 */
function listIfComplete(store: OpenStore, kind: Kind, group?: string) {
  return store.isComplete() ? store.list(kind, group) : undefined
}
