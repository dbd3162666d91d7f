import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isBusyError, isCorruptionError, openSqlite } from './sqlite.ts'

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
  const file = join(folder, 'follower.lock')
  let db = openSqlite(file)
  while (!signal.aborted) {
    try {
      db.exec('begin exclusive')
      return () => db.close()
    } catch (error) {
      if (isCorruptionError(error)) {
        // It has no content. A process that holds the lock keeps the damaged file open, but not its name.
        db.close()
        rmSync(file, { force: true })
        db = openSqlite(file)
      } else if (!isBusyError(error)) throw error
      await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }
  db.close()
  return undefined
}
