import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isUnavailable } from './errors.ts'
import { findInstance, insertInstance } from './instance.queries.ts'
import type { Db } from './pool.ts'

export type Instance = {
  /**
   * The token that a domain must serve at the well-known path to prove that it points to this
   * installation.
   */
  token: string
  /** The key with which visitors are hashed. */
  visitorKey: Buffer
}

const RETRY_MS = 250

/**
 * Returns the identity of this installation, which is the same for every process. The first call
 * creates it.
 */
export async function loadInstance(db: Db): Promise<Instance> {
  const token = randomBytes(24).toString('base64url')
  await insertInstance(db, { token, visitor_key: randomBytes(32) })
  const row = await findInstance(db)
  return { token: row.token, visitorKey: row.visitor_key }
}

/**
 * Waits until the database is reachable and returns its identity. While it is unreachable, returns
 * the identity from `findStored` instead.
 */
export async function awaitInstance(
  db: Db,
  {
    onUnreachable,
    findStored,
  }: { onUnreachable: () => void; findStored: () => Instance | undefined },
): Promise<Instance> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await loadInstance(db)
    } catch (error) {
      if (!isUnavailable(error)) throw error
      if (attempt === 1) onUnreachable()
      const stored = findStored()
      if (stored) return stored
      await sleep(RETRY_MS)
    }
  }
}

/**
 * Waits until the database is reachable and verifies that it belongs to this instance.
 *
 * @throws Error if it belongs to another instance
 */
export async function confirmInstance(db: Db, { token }: Instance): Promise<void> {
  for (;;) {
    const found = await findInstance(db).catch(() => undefined)
    if (found?.token === token) return
    if (found) throw new Error('the link store was built from another database')
    await sleep(RETRY_MS, undefined, { ref: false })
  }
}
