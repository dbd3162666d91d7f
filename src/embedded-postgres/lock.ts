import { closeSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { findWriteProblem } from '../files/file-problem.ts'

/** Longer than another process may need to start the server. */
const longestWaitMs = 120_000
/** SQLite's error code `SQLITE_BUSY`. */
const sqliteBusy = 5

type WaitOptions = {
  /** Milliseconds to wait for the lock. */
  waitMs?: number
  /** Stops waiting when it aborts. */
  signal?: AbortSignal | undefined
}

/** Thrown if another process held the lock the entire time. */
export class LockHeldError extends Error {}

/**
 * Runs `work` while no other caller, in this process or another one, holds the lock on `file`.
 *
 * The file is an empty SQLite database that is only used for its lock. The operating system
 * releases the lock when the holder dies. A file with a pid would seem locked if a container
 * restarts and another process gets the same pid.
 *
 * Only the owner can open the file, because anyone who can read it can hold the lock.
 *
 * @throws LockHeldError if the lock is still held after `waitMs`, by default two minutes
 * @throws Error if the file cannot be opened, or the reason of `signal`
 */
export async function withLock<T>(
  file: string,
  work: () => Promise<T>,
  waiting: WaitOptions = {},
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
  { waitMs = longestWaitMs, signal }: WaitOptions,
): Promise<DatabaseSync> {
  const deadline = performance.now() + waitMs
  createPrivateFile(file)
  for (;;) {
    signal?.throwIfAborted()
    const lock = tryLock(file)
    if (lock) return lock
    if (performance.now() > deadline) {
      throw new LockHeldError(
        `Another process has been holding ${file} for ${waitMs / 1000} seconds.`,
      )
    }
    await sleep(50)
  }
}

/**
 * Creates the file with access only for its owner. Does not open an existing file: closing it would
 * release a lock that this process may hold on it (https://sqlite.org/howtocorrupt.html, section
 * 2.2).
 */
function createPrivateFile(file: string): void {
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch {
    // Either the file exists, or it cannot be created, which `tryLock` reports.
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
    const problem = findWriteProblem(dirname(file))
    throw new Error(`The lock file ${file} cannot be used: ${problem ?? String(error)}.`, {
      cause: error,
    })
  }
}
