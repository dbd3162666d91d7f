import { setTimeout as sleep } from 'node:timers/promises'
import type { Instance } from '../../db/instance.ts'
import { openForReading } from './open-store.ts'
import { openSqlite } from './sqlite.ts'
import { FORMAT, findStore, readMeta } from './store-file.ts'

const RETRY_MS = 250
const CHECK_MS = 1000
const READ_TIMEOUT_MS = 1000

/** Returns the instance to which a folder's store belongs, or undefined if none can be read. */
export function findStoredInstance(folder: string): Instance | undefined {
  try {
    const path = findStore(folder)
    const store = path && openForReading(path)
    if (!store) return undefined
    const { format, token, visitorKey } = store.meta
    store.close()
    return format === FORMAT ? { token, visitorKey: Buffer.from(visitorKey, 'base64') } : undefined
  } catch {
    // Callers retry or wait for the database.
    return undefined
  }
}

/**
 * Returns the token of the instance to which a folder's store of any format belongs, and the number
 * of its links. Returns undefined if none can be read.
 */
export function findStoredOwner(folder: string): { token: string; links: number } | undefined {
  try {
    const path = findStore(folder)
    const db = path && openSqlite(path, { readOnly: true, timeoutMs: READ_TIMEOUT_MS })
    if (!db) return undefined
    const { token, links } = readMeta(db)
    const isEmpty = db.prepare('select 1 from link limit 1').get() === undefined
    db.close()
    return token ? { token, links: isEmpty ? 0 : Math.max(1, links) } : undefined
  } catch {
    // A damaged store is built again.
    return undefined
  }
}

/** Waits until a folder's store has an instance. Returns undefined if `signal` aborts first. */
export async function awaitStoredInstance(
  folder: string,
  signal?: AbortSignal,
): Promise<Instance | undefined> {
  while (!signal?.aborted) {
    const instance = findStoredInstance(folder)
    if (instance) return instance
    await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
  }
  return undefined
}

/**
 * Checks every second that a folder's store belongs to the given instance. Never resolves.
 *
 * @throws Error once a folder's store belongs to another instance
 */
export async function watchStoredInstance(folder: string, { token }: Instance): Promise<never> {
  for (;;) {
    const storedInstance = findStoredInstance(folder)
    if (storedInstance && storedInstance.token !== token) {
      throw new Error('the main installation now uses a different database')
    }
    await sleep(CHECK_MS, undefined, { ref: false })
  }
}
