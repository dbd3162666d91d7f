import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientOptions, clientConfig, destroyConnection } from '../../db/client.ts'
import { listen } from '../../db/notify.queries.ts'
import { copyMissingEntries, openStore, type StoreLog } from './build.ts'
import { readEntries } from './entries.queries.ts'
import { ChangesPrunedError, pruneChanges, readChanges, readSource } from './feed.queries.ts'
import { claimFolder } from './lock.ts'
import { isDamage } from './sqlite.ts'
import { findStore, monotonicTime, quarantineStore } from './store-file.ts'
import type { Replacement, StoreWriter } from './store-writer.ts'

type FollowerOptions = {
  databaseUrl: string
  /** The store's folder. */
  folder: string
  log: StoreLog
}

/** Milliseconds between two reads. Notified changes are read immediately. */
const POLL_MS = 150
/** Milliseconds between two records that an unchanged store is current. */
const HEARTBEAT_MS = 1000
const PRUNE_INTERVAL_MS = 10_000
const RETRY_MS = 250
const MAX_RETRY_MS = 2000
const LIMITS: Pick<ClientOptions, 'connectTimeout' | 'queryTimeout'> = {
  connectTimeout: 1500,
  queryTimeout: 10_000,
}

/** The store's files were deleted or moved. */
class StoreFilesMissingError extends Error {}

/**
 * Keeps this machine's store up to date until `signal` aborts: builds it if it is missing or
 * unusable, then applies every change. Only one process per folder does so; others wait until it
 * ends.
 */
export async function followChanges(options: FollowerOptions, signal: AbortSignal): Promise<void> {
  const { folder, log } = options
  const release = await claimFolder(folder, signal)
  let failures = 0
  while (!signal.aborted) {
    try {
      await followOnConnection(options, signal, () => {
        if (failures > 0) log.info({ failures }, 'the link store follows the database again')
        failures = 0
      })
    } catch (error) {
      if (signal.aborted) break
      failures += 1
      const reason = error instanceof Error ? error.message : String(error)
      if (failures === 1) log.warn({ reason }, 'the link store cannot follow the database')
      const path = findStore(folder)
      if (path && isUnusableAfter(error)) quarantineStore(path)
      const pause = Math.min(RETRY_MS * failures, MAX_RETRY_MS)
      await sleep(pause, undefined, { signal }).catch(() => {})
    }
  }
  release?.()
}

/** Follows changes until the connection or the store fails, or `signal` aborts. */
async function followOnConnection(
  { databaseUrl: url, folder, log }: FollowerOptions,
  signal: AbortSignal,
  onApplied: () => void,
): Promise<void> {
  const client = new Client(clientConfig({ url, name: 'follower', ...LIMITS }))
  const wakeUp = createWakeUp()
  client.on('notification', wakeUp.notify)
  client.on('end', wakeUp.notify)
  // Otherwise a frozen server would delay the shutdown by the duration of a query.
  const cut = () => destroyConnection(client)
  signal.addEventListener('abort', cut)
  let store: StoreWriter | undefined
  try {
    await client.connect()
    await listen(client)
    store = openStore(folder, await readSource(client), log)
    const applyChanges = createChangeApplier(client, store)
    let tidiedAt = Number.NEGATIVE_INFINITY
    while (!signal.aborted) {
      if (!store.isInPlace()) throw new StoreFilesMissingError('its files are gone')
      const isCopying = await copyMissingEntries(client, store, log)
      await applyChanges()
      onApplied()
      if (monotonicTime() - tidiedAt > PRUNE_INTERVAL_MS) {
        store.countLinks()
        if (!(await pruneChanges(client))) tidiedAt = monotonicTime()
      }
      if (!isCopying) await wakeUp.wait(POLL_MS)
    }
  } finally {
    signal.removeEventListener('abort', cut)
    store?.close()
    cut()
  }
}

/**
 * Creates the function that applies the changes since the store's position. It reads entries again
 * in the snapshot that becomes the new position, so the order and repetition of changes do not
 * matter.
 */
function createChangeApplier(client: Client, store: StoreWriter): () => Promise<void> {
  let advancedAt = Number.NEGATIVE_INFINITY

  return async () => {
    const startedAt = monotonicTime()
    await readChanges(client, store.meta.position, async ({ position, next }) => {
      let changed = await next()
      if (changed.size === 0 && startedAt - advancedAt < HEARTBEAT_MS) return
      for (; changed.size > 0; changed = await next()) {
        const replacements: Replacement[] = []
        for (const [kind, ids] of changed) {
          replacements.push({ kind, ids, entries: await readEntries(client, kind, ids) })
        }
        store.replace(replacements)
      }
      store.advance(position, startedAt)
      advancedAt = startedAt
    })
  }
}

function isUnusableAfter(error: unknown): boolean {
  return (
    error instanceof StoreFilesMissingError ||
    error instanceof ChangesPrunedError ||
    isDamage(error)
  )
}

/** Creates a wake-up: `notify` ends a current or the next `wait`. */
function createWakeUp() {
  let isNotified = false
  let wake = () => {}

  function notify(): void {
    isNotified = true
    wake()
  }

  async function wait(ms: number): Promise<void> {
    if (!isNotified) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    isNotified = false
  }

  return { notify, wait }
}
