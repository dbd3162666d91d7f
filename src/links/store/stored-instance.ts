import type { Instance } from '../../db/instance.ts'
import { openForReading } from './open-store.ts'
import { FORMAT, findStore } from './store-file.ts'

/** Returns the instance that a folder's store belongs to, or undefined if none can be read. */
export function findStoredInstance(folder: string): Instance | undefined {
  try {
    const path = findStore(folder)
    const store = path && openForReading(path)
    if (!store) return undefined
    const { format, token, visitorKey } = store.meta
    store.close()
    return format === FORMAT ? { token, visitorKey: Buffer.from(visitorKey, 'base64') } : undefined
  } catch {
    // The caller waits for the database instead.
    return undefined
  }
}
