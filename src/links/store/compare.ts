import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { KINDS, type Kind } from '../../db/local-store.ts'
import { getBatchSize, readEntries, readNextEntries, type StoredEntry } from './entries.queries.ts'
import { type OpenStore, openForReading } from './open-store.ts'
import { FORMAT, findStore, identifyFiles, monotonicTime } from './store-file.ts'

/** An entry that differs between the store and the database. */
export type StoreDifference = {
  kind: Kind
  id: number
  problem: 'missing' | 'different' | 'deleted from the database'
}

/** The number of times that a difference is compared again, in case the entry is being changed. */
const ATTEMPTS = 5
/** The maximum time for the store to apply the changes made during the comparison. */
const CATCH_UP_TIMEOUT_MS = 10_000
const POLL_MS = 50
const BEING_BUILT = 'the link store is still being built'

/** `isReplaced` returns whether the follower has replaced the store since it was opened. */
type ComparedStore = OpenStore & { isReplaced: () => boolean }

/**
 * Compares a folder's store with the database row by row, while both are in use. Yields the
 * differences.
 *
 * @throws Error if there is no complete store of this program version, or if it does not follow the
 * database
 */
export async function* compareStore(
  client: pg.ClientBase,
  folder: string,
): AsyncGenerator<StoreDifference> {
  const path = findStore(folder)
  if (!path) throw new Error(`there is no link store in ${folder}`)
  const files = identifyFiles(path)
  const store = openForReading(path)
  const isReplaced = () => identifyFiles(path) !== files
  try {
    if (store.meta.format !== FORMAT) throw new Error('another version built the link store')
    if (!store.isComplete()) throw new Error(BEING_BUILT)
    for (const kind of KINDS) yield* compareKind(client, { ...store, isReplaced }, kind)
  } finally {
    store.close()
  }
}

async function* compareKind(
  client: pg.ClientBase,
  store: ComparedStore,
  kind: Kind,
): AsyncGenerator<StoreDifference> {
  for (let after = 0; Number.isFinite(after); ) {
    const expected = await readNextEntries(client, kind, { after, limit: getBatchSize(kind) })
    const isLast = expected.length < getBatchSize(kind)
    const upTo = isLast ? Number.MAX_SAFE_INTEGER : (expected.at(-1)?.id ?? 0)
    let differences = compare(kind, store.between(kind, after, upTo), expected)
    for (let attempt = 1; attempt <= ATTEMPTS && differences.length > 0; attempt += 1) {
      await waitUntilCurrent(store)
      const ids = differences.map(({ id }) => id)
      const stored = ids.flatMap((id) => store.between(kind, id - 1, id))
      differences = compare(kind, stored, await readEntries(client, kind, ids))
    }
    yield* differences
    after = isLast ? Number.POSITIVE_INFINITY : upTo
  }
}

function compare(
  kind: Kind,
  stored: readonly StoredEntry[],
  expected: readonly StoredEntry[],
): StoreDifference[] {
  const inStore = mapContentById(stored)
  const inDatabase = mapContentById(expected)
  const ids = new Set([...inStore.keys(), ...inDatabase.keys()])
  return [...ids].flatMap((id): StoreDifference[] => {
    if (inStore.get(id) === inDatabase.get(id)) return []
    if (!inStore.has(id)) return [{ kind, id, problem: 'missing' }]
    if (!inDatabase.has(id)) return [{ kind, id, problem: 'deleted from the database' }]
    return [{ kind, id, problem: 'different' }]
  })
}

function mapContentById(entries: readonly StoredEntry[]): ReadonlyMap<number, string> {
  return new Map(entries.map(({ id, name, value }) => [id, `${name} ${value}`]))
}

/** Waits until the store has applied every change committed before this call. */
async function waitUntilCurrent(store: ComparedStore): Promise<void> {
  const startedAt = monotonicTime()
  while (store.readCurrentAt() <= startedAt) {
    if (store.isReplaced()) throw new Error(BEING_BUILT)
    if (monotonicTime() - startedAt > CATCH_UP_TIMEOUT_MS) {
      throw new Error('the link store does not follow the database')
    }
    await sleep(POLL_MS)
  }
}
