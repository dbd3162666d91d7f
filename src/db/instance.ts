import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../errors.ts'
import { fromDatabase } from './errors.ts'
import { findInstance, insertInstance } from './instance.queries.ts'
import type { Db } from './pool.ts'

export type Instance = {
  /** What a domain must answer at the well-known address to prove that it points here. */
  token: string
  /** The key of the hashes that stand for visitors. */
  visitorKey: Buffer
}

const RETRY_MS = 250

/** What makes this installation itself, made on the first call, the same for every process. */
export async function loadInstance(db: Db): Promise<Instance> {
  const token = randomBytes(24).toString('base64url')
  await insertInstance(db, { token, visitor_key: randomBytes(32) })
  const row = await findInstance(db)
  return { token: row.token, visitorKey: row.visitor_key }
}

/** The same once the database can be reached, however long that takes. */
export async function awaitInstance(db: Db, onUnreachable: () => void): Promise<Instance> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await loadInstance(db)
    } catch (error) {
      const rejection = fromDatabase(error)
      if (!(rejection instanceof AppError) || rejection.status !== 503) throw error
      if (attempt === 1) onUnreachable()
      await sleep(RETRY_MS)
    }
  }
}
