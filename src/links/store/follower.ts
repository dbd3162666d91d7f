import { setTimeout as sleep } from 'node:timers/promises'
import { copyMissingEntries, indexLinks, openStore, type StoreLog } from './build.ts'
import {
  ChangesPrunedError,
  isSnapshot,
  type OpenFeed,
  type SourceState,
  type StoreFeed,
} from './feed.ts'
import { claimFolder, isCorruptionError } from './sqlite.ts'
import { findStore, monotonicTime, quarantineStore, UNINDEXED } from './store-file.ts'
import type { StoreWriter } from './store-writer.ts'

type FollowerOptions = {
  openFeed: OpenFeed
  /** The store's folder. */
  folder: string
  /** Checks that a source may fill the store. Throws the reason if not. */
  authorize?: (source: SourceState) => void
  log: StoreLog
}

/** Milliseconds after which an unchanged store is marked as current again. */
const HEARTBEAT_MS = 1000
/** Milliseconds between checks that the files are in place while indexes are created. */
const PLACE_CHECK_MS = 1000
const PRUNE_INTERVAL_MS = 10_000
/** Milliseconds between two steps of a check of the store, each of which takes a few. */
const CHECK_PAUSE_MS = 100
const RETRY_MS = 250
const MAX_RETRY_MS = 2000

/** Thrown if the store's files were deleted or moved. */
class StoreFilesMissingError extends Error {}

/**
 * Keeps this machine's store up to date until `signal` aborts. Builds the store if it is missing or
 * unusable, then applies every change. Only one process per folder does this, and the others wait
 * until it ends. Retries after any error.
 */
export async function followChanges(options: FollowerOptions, signal: AbortSignal): Promise<void> {
  const { folder, log } = options
  let release: (() => void) | undefined
  let failures = 0
  let lastReason = ''
  let isOutdated = false
  while (!signal.aborted) {
    try {
      release ??= await claimFolder(folder, signal)
      await followFeed(options, signal, {
        // Only once the source is authorized, because another one may not replace the store.
        onAuthorized: () => {
          if (isOutdated) quarantine(folder)
          isOutdated = false
        },
        onApplied: () => {
          if (failures > 0) log.info({ failures }, 'the link store follows its source again')
          failures = 0
          lastReason = ''
        },
      })
    } catch (error) {
      if (signal.aborted) break
      failures += 1
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== lastReason) log.warn({ reason }, 'the link store cannot follow its source')
      lastReason = reason
      if (error instanceof ChangesPrunedError) isOutdated = true
      else if (makesStoreUnusable(error)) quarantine(folder)
      const pause = Math.min(RETRY_MS * failures, MAX_RETRY_MS)
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }
  release?.()
}

/** Follows changes until the feed or the store fails, or `signal` aborts. */
async function followFeed(
  { openFeed, folder, authorize, log }: FollowerOptions,
  signal: AbortSignal,
  { onAuthorized, onApplied }: { onAuthorized: () => void; onApplied: () => void },
): Promise<void> {
  const feed = await openFeed(signal)
  let store: StoreWriter | undefined
  try {
    authorize?.(feed.source)
    onAuthorized()
    store = openStore(folder, feed.source, log)
    const applyNextChanges = createChangeApplier(feed, store)
    let prunedAt = Number.NEGATIVE_INFINITY
    let checkedAt = Number.NEGATIVE_INFINITY
    while (!signal.aborted) {
      if (!store.isInPlace()) throw new StoreFilesMissingError('its files are gone')
      const isCopying = await copyMissingEntries(feed.readNextEntries, store)
      const isBehind = await applyNextChanges({ mayWait: !isCopying })
      onApplied()
      const isPruningDue = monotonicTime() - prunedAt > PRUNE_INTERVAL_MS
      if (isPruningDue && !(await feed.prune())) prunedAt = monotonicTime()
      if (!isBehind && store.meta.copied === UNINDEXED) await indexInPlace(store, log)
      if (isCopying || isBehind) continue
      if (monotonicTime() - checkedAt > CHECK_PAUSE_MS) {
        store.checkNextRows(Date.now())
        checkedAt = monotonicTime()
      }
      await feed.wait()
    }
  } finally {
    store?.close()
    feed.close()
  }
}

/** Creates the indexes of links, and meanwhile checks that the store's files are in place. */
async function indexInPlace(store: StoreWriter, log: StoreLog): Promise<void> {
  let isDone = false
  const indexing = indexLinks(store, log).finally(() => {
    isDone = true
  })
  // It may fail after the files are found to be gone.
  indexing.catch(() => {})
  while (!isDone) {
    await Promise.race([indexing, sleep(PLACE_CHECK_MS, undefined, { ref: false })])
    if (!store.isInPlace()) throw new StoreFilesMissingError('its files are gone')
  }
}

/**
 * Creates the function that applies the next changes and saves the position after them. It returns
 * whether there are more.
 */
function createChangeApplier(feed: StoreFeed, store: StoreWriter) {
  let advancedAt = Number.NEGATIVE_INFINITY
  /** When the current pass started, if this process started it. */
  let startedAt: number | undefined

  return async (options: { mayWait: boolean }): Promise<boolean> => {
    const since = store.meta.position
    if (isSnapshot(since)) startedAt = monotonicTime()
    const { position, replacements } = await feed.readChanges(since, options)
    const isBehind = !isSnapshot(position)
    if (replacements.length > 0) store.replace(replacements, position)
    if (isBehind) return true
    const now = monotonicTime()
    const isUnchanged = replacements.length === 0 && isSnapshot(since)
    if (isUnchanged && now - advancedAt < HEARTBEAT_MS) return false
    store.advance(position, startedAt ?? store.meta.currentAt)
    advancedAt = now
    return false
  }
}

function makesStoreUnusable(error: unknown): boolean {
  return error instanceof StoreFilesMissingError || isCorruptionError(error)
}

function quarantine(folder: string): void {
  const path = findStore(folder)
  if (path) quarantineStore(path)
}
