import { setTimeout as sleep } from 'node:timers/promises'
import { Client, type ClientOptions, clientConfig, cutConnection } from '../../db/client.ts'
import { listen } from '../../db/notify.queries.ts'
import { copySome, openStore, type StoreLog } from './build.ts'
import { readEntries } from './entries.queries.ts'
import { ChangesPruned, pruneChanges, readChanges, readSource } from './feed.queries.ts'
import { claimFolder } from './lock.ts'
import { isDamage } from './sqlite.ts'
import { findStore, machineTime, setAside } from './store-file.ts'
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
class FilesGone extends Error {}

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
      if (path && isUnusableAfter(error)) setAside(path)
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
  const bell = createBell()
  client.on('notification', bell.ring)
  client.on('end', bell.ring)
  // Otherwise a frozen server would delay the shutdown by the duration of a query.
  const cut = () => cutConnection(client)
  signal.addEventListener('abort', cut)
  let store: StoreWriter | undefined
  try {
    await client.connect()
    await listen(client)
    store = openStore(folder, await readSource(client), log)
    const applyChanges = createApplication(client, store)
    let tidiedAt = Number.NEGATIVE_INFINITY
    while (!signal.aborted) {
      if (!store.isInPlace()) throw new FilesGone('its files are gone')
      const isCopying = await copySome(client, store, log)
      await applyChanges()
      onApplied()
      if (machineTime() - tidiedAt > PRUNE_INTERVAL_MS) {
        store.countLinks()
        if (!(await pruneChanges(client))) tidiedAt = machineTime()
      }
      if (!isCopying) await bell.wait(POLL_MS)
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
function createApplication(client: Client, store: StoreWriter): () => Promise<void> {
  let advancedAt = Number.NEGATIVE_INFINITY

  return async () => {
    const startedAt = machineTime()
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
  return error instanceof FilesGone || error instanceof ChangesPruned || isDamage(error)
}

/** Creates a bell that ends a wait when it rings, even if it rang before the wait. */
function createBell() {
  let rung = false
  let wake = () => {}

  function ring(): void {
    rung = true
    wake()
  }

  async function wait(ms: number): Promise<void> {
    if (!rung) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    rung = false
  }

  return { ring, wait }
}
