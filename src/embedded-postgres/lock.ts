import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

/** Longer than the start that another process may be in the middle of. */
const waitMs = 120_000
const sqliteBusy = 5

/**
 * Runs `work` while no other caller, in this process or another one, holds the lock on `file`.
 *
 * The file is an empty SQLite database of which only the lock is used: the operating system drops
 * it when its holder dies, however it dies. A file with a pid in it would be taken for held when
 * a container restarts and hands the same pid to somebody else.
 *
 * @throws Error when the lock is still held after two minutes or the file cannot be opened.
 */
export async function withLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  const lock = await acquire(file)
  try {
    return await work()
  } finally {
    lock.close()
  }
}

async function acquire(file: string): Promise<DatabaseSync> {
  const deadline = Date.now() + waitMs
  for (;;) {
    const lock = tryLock(file)
    if (lock) return lock
    if (Date.now() > deadline) {
      throw new Error(`Another process has been holding ${file} for ${waitMs / 1000} seconds.`)
    }
    await sleep(50)
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
