import { closeSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/** Longer than the start that another process may be in the middle of. */
const longestWaitMs = 120_000
const sqliteBusy = 5

type Waiting = {
  /** How long to wait for whoever holds it. */
  waitMs?: number
  /** Ends the waiting. */
  signal?: AbortSignal | undefined
}

/** Somebody else has held the lock all the time. */
export class LockHeld extends Error {}

/**
 * Runs `work` while no other caller, in this process or another one, holds the lock on `file`.
 *
 * The file is an empty SQLite database of which only the lock is used: the operating system drops
 * it when its holder dies, however it dies. A file with a pid in it would be taken for held when
 * a container restarts and hands the same pid to somebody else.
 *
 * Only its owner may open the file, since whoever can read it can hold it.
 *
 * @throws LockHeld when the lock is still held after `waitMs`, by default two minutes.
 * @throws Error when the file cannot be opened, or the reason of `signal`.
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  waiting: Waiting = {},
): Promise<T> {
  const lock = await acquire(file, waiting)
  try {
    return await work()
  } finally {
    lock.close()
  }
}

async function acquire(
  file: string,
  { waitMs = longestWaitMs, signal }: Waiting,
): Promise<DatabaseSync> {
  const deadline = performance.now() + waitMs
  makePrivate(file)
  for (;;) {
    signal?.throwIfAborted()
    const lock = tryLock(file)
    if (lock) return lock
    if (performance.now() > deadline) {
      throw new LockHeld(`Another process has been holding ${file} for ${waitMs / 1000} seconds.`)
    }
    await sleep(50)
  }
}

/**
 * Makes the file for its owner alone. One that is there is not opened: closing it again would let go
 * of a lock that this process may have on it (https://sqlite.org/howtocorrupt.html, section 2.2).
 */
function makePrivate(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch {
    // It is there, or it cannot be made, which `tryLock` tells.
  }
}

function tryLock(file: string): DatabaseSync | undefined {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: 0 })
    database.exec('BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database?.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return
    throw new Error(`The lock file ${file} cannot be used.`, { cause: error })
  }
}
