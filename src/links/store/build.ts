import { KINDS, type Kind } from '../../db/local-store.ts'
import { getBatchSize } from './entries.queries.ts'
import type { ReadEntries, SourceState } from './feed.ts'
import { createStore, FORMAT, findStore, monotonicTime } from './store-file.ts'
import { openWriter, type StoreWriter } from './store-writer.ts'

export type StoreLog = Record<'info' | 'warn', (details: object, text: string) => void>

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
  log: StoreLog,
): Promise<boolean> {
  const until = monotonicTime() + COPY_MS
  while (store.meta.copied !== '' && monotonicTime() < until) {
    const [kind, after] = store.meta.copied.split(' ') as [Kind, string]
    const page = { after: Number(after), limit: getBatchSize(kind) }
    const entries = await readNextEntries(kind, page)
    store.copy(kind, entries, getNextPosition(kind, entries))
    if (store.meta.copied === '') {
      log.info({ links: store.meta.links }, 'the link store is complete')
    }
  }
  return store.meta.copied !== ''
}

function getNextPosition(kind: Kind, entries: readonly { id: number }[]): string {
  const last = entries.at(-1)
  if (last && entries.length === getBatchSize(kind)) return `${kind} ${last.id}`
  const next = KINDS[KINDS.indexOf(kind) + 1]
  return next ? `${next} 0` : ''
}
