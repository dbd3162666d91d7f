import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isBusyError, openSqlite } from './sqlite.ts'

const RETRY_MS = 500

/**
 * Waits until no other process follows changes for this folder, then claims it. Returns a function
 * that releases the claim, or undefined if `signal` aborts first. The claim also ends when the
 * process ends.
 */
export async function claimFolder(
  folder: string,
  signal: AbortSignal,
): Promise<(() => void) | undefined> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const db = openSqlite(join(folder, 'follower.lock'))
  while (!signal.aborted) {
    try {
      db.exec('begin exclusive')
      return () => db.close()
    } catch (error) {
      if (!isBusyError(error)) throw error
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }
  db.close()
  return undefined
}
