import type pg from 'pg'
import { KINDS, type Kind } from '../../db/local-store.ts'
import { nextEntries } from './entries.queries.ts'
import type { Source } from './feed.queries.ts'
import { createStore, FORMAT, findStore, machineTime } from './store-file.ts'
import { openWriter, type StoreWriter } from './store-writer.ts'

export type StoreLog = Record<'info' | 'warn', (details: object, text: string) => void>

const COPIED_TOGETHER = 2000
/** How long changes wait for the copy. */
const COPY_MS = 100

/**
 * Opens the store of a folder to follow `source`. One that is missing, damaged, or of another database or
 * version of the program is replaced by an empty one, which `copySome` fills.
 */
export function openStore(folder: string, source: Source, log: StoreLog): StoreWriter {
  const path = findStore(folder)
  const found = path ? openUsable(path, source) : 'it is missing'
  if (typeof found !== 'string') return found
  log.info({ reason: found }, 'building the link store')
  const { source: id, token, visitorKey, position } = source
  const copied = `${KINDS[0]} 0`
  return openWriter(
    createStore(folder, {
      ...{
        format: FORMAT,
        source: id,
        token,
        visitorKey,
        position,
        copied,
        links: 0,
        currentAt: 0,
      },
    }),
  )
}

/** The store, or why it cannot be used. */
function openUsable(path: string, { source }: Source): StoreWriter | string {
  let store: StoreWriter | undefined
  try {
    store = openWriter(path)
    if (store.meta.format !== FORMAT) return close(store, 'another version built it')
    if (store.meta.source !== source) return close(store, 'it is of another database')
    return store.isIntact() ? store : close(store, 'it is damaged')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return close(store, `it cannot be read: ${reason}`)
  }
}

function close(store: StoreWriter | undefined, reason: string): string {
  store?.close()
  return reason
}

/**
 * Copies entries that the store does not have yet, for a moment, and returns whether there are more.
 * Whatever changes after it was read is applied later, because its transaction comes after the position
 * that the store began with.
 */
export async function copySome(
  client: pg.ClientBase,
  store: StoreWriter,
  log: StoreLog,
): Promise<boolean> {
  const until = machineTime() + COPY_MS
  while (store.meta.copied !== '' && machineTime() < until) {
    const [kind, after] = store.meta.copied.split(' ') as [Kind, string]
    const page = { after: Number(after), limit: COPIED_TOGETHER }
    const entries = await nextEntries(client, kind, page)
    store.copy(kind, entries, positionAfter(kind, entries))
    if (store.meta.copied === '') {
      store.countLinks()
      log.info({ links: store.meta.links }, 'the link store is complete')
    }
  }
  return store.meta.copied !== ''
}

function positionAfter(kind: Kind, entries: readonly { id: number }[]): string {
  const last = entries.at(-1)
  if (last && entries.length === COPIED_TOGETHER) return `${kind} ${last.id}`
  const next = KINDS[KINDS.indexOf(kind) + 1]
  return next ? `${next} 0` : ''
}
