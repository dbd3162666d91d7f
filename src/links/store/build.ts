import { once } from 'node:events'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { KINDS, type Kind } from '../../db/local-store.ts'
import { getBatchSize } from './entries.queries.ts'
import type { ReadEntries, SourceState } from './feed.ts'
import {
  createStore,
  FORMAT,
  findStore,
  LINK_INDEXES,
  monotonicTime,
  UNINDEXED,
} from './store-file.ts'
import { openWriter, type StoreWriter } from './store-writer.ts'

export type StoreLog = Record<'info' | 'warn', (details: object, text: string) => void>

/** Creating the indexes of this many links takes a fraction of a second. */
const MAX_INDEXED_AT_ONCE = 100_000
/** The maximum number of milliseconds for which the initial copy delays changes. */
const COPY_MS = 100

/**
 * Opens a folder's store to follow `source`. If the store is missing, damaged, or from another
 * database or program version, replaces it with an empty one, which `copyMissingEntries` fills.
 */
export function openStore(folder: string, source: SourceState, log: StoreLog): StoreWriter {
  const path = findStore(folder)
  const storeOrReason = path ? openIfUsable(path, source) : 'it is missing'
  if (typeof storeOrReason !== 'string') return storeOrReason
  log.info({ reason: storeOrReason }, 'building the link store')
  const { source: id, token, visitorKey, position } = source
  const copied = `${KINDS[0]} 0`
  return openWriter(
    createStore(folder, {
      format: FORMAT,
      source: id,
      token,
      visitorKey,
      position,
      copied,
      links: 0,
      revision: 0,
      currentAt: 0,
      checkedAt: Date.now(),
      isOpen: 0,
    }),
  )
}

/** Returns the store, or the reason why it cannot be used. */
function openIfUsable(path: string, { source }: SourceState): StoreWriter | string {
  let store: StoreWriter | undefined
  try {
    store = openWriter(path)
    if (store.meta.format !== FORMAT) return closeUnusable(store, 'another version built it')
    if (store.meta.source !== source) return closeUnusable(store, 'it belongs to another database')
    return store
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return closeUnusable(store, `it cannot be read: ${reason}`)
  }
}

/** Closes a store and returns the reason. */
function closeUnusable(store: StoreWriter | undefined, reason: string): string {
  store?.close()
  return reason
}

/**
 * Copies missing entries for a short time. Returns whether there are more. Entries that change
 * after being copied are updated later, because the store's position is older than the copy.
 */
export async function copyMissingEntries(
  readNextEntries: ReadEntries,
  store: StoreWriter,
): Promise<boolean> {
  const until = monotonicTime() + COPY_MS
  while (!['', UNINDEXED].includes(store.meta.copied) && monotonicTime() < until) {
    const [kind, after] = store.meta.copied.split(' ') as [Kind, string]
    const page = { after: Number(after), limit: getBatchSize(kind) }
    const entries = await readNextEntries(kind, page)
    store.copy(kind, entries, getNextPosition(kind, entries))
  }
  return store.meta.copied !== ''
}

/**
 * Completes a store that has every entry: creates the indexes of links, without blocking the
 * process for long. Fails if two links have the same name, because one of them has changed since it
 * was copied. Repeat it then, after applying more changes.
 */
export async function indexLinks(store: StoreWriter, log: StoreLog): Promise<void> {
  const { path, meta } = store
  if (meta.links <= MAX_INDEXED_AT_ONCE) store.indexLinks()
  else await indexInThread(path)
  store.complete()
  log.info({ links: meta.links }, 'the link store is complete')
}

/** Creates the indexes in a thread, because those of ten million links take 10 s each. */
async function indexInThread(path: string): Promise<void> {
  // Compiled, this file and the thread's end in `.js`.
  const file = new URL(`./index-thread${extname(import.meta.url)}`, import.meta.url)
  const thread = new Worker(file, { workerData: { path, statements: LINK_INDEXES } })
  // Rejects if the thread throws.
  await once(thread, 'exit')
}

function getNextPosition(kind: Kind, entries: readonly { id: number }[]): string {
  const last = entries.at(-1)
  if (last && entries.length === getBatchSize(kind)) return `${kind} ${last.id}`
  const next = KINDS[KINDS.indexOf(kind) + 1]
  return next ? `${next} 0` : UNINDEXED
}
