import { closeSync, openSync } from 'node:fs'
import { chmod, lstat, mkdir, realpath, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { findWriteProblem } from '../files/file-problem.ts'

const GROUP_AND_OTHERS = 0o077
const TRAVERSE_ONLY = 0o011
const STICKY_BIT = 0o1000

type Options = {
  /** Whether the folder contains the embedded PostgreSQL. */
  embedded?: boolean
  /** Receives a warning about anything that could not be made private. */
  warn?: ((line: string) => void) | undefined
}

/**
 * Creates the data folder if necessary, makes it private and returns its real path. If root starts
 * the service, PostgreSQL runs as another user. That user must be able to enter the folder but not
 * to list it, so its content is protected individually. Permissions are only removed, and never
 * from shared folders such as `/tmp`.
 */
export async function secureDataFolder(
  dataDir: string,
  { embedded = false, warn }: Options,
): Promise<string> {
  const created = await mkdir(dataDir, { recursive: true })
  const folder = await realpath(dataDir)
  // Windows has no permission bits.
  if (process.getuid === undefined) return folder
  const isTraversable =
    process.getuid() === 0 && (embedded || (await exists(join(folder, 'postgres'))))
  const allowedMode = 0o7700 | (isTraversable ? TRAVERSE_ONLY : 0)
  if (created !== undefined) await chmod(folder, allowedMode & 0o777)
  else await restrictPermissions(folder, allowedMode, warn)
  await restrictPermissions(join(folder, 'postgres.lock'), 0o600, warn)
  return folder
}

/**
 * Removes all permissions of `path` that are not in `allowedMode`, if other users have any of them.
 * Skips missing paths and symbolic links. Only warns about shared folders and failures.
 */
async function restrictPermissions(
  path: string,
  allowedMode: number,
  warn: Options['warn'],
): Promise<void> {
  const stats = await lstat(path).catch(() => undefined)
  if (!stats || stats.isSymbolicLink() || (stats.mode & GROUP_AND_OTHERS & ~allowedMode) === 0)
    return
  const reason =
    stats.mode & STICKY_BIT
      ? 'is a shared folder'
      : await chmod(path, stats.mode & allowedMode).then(
          () => undefined,
          (error: NodeJS.ErrnoException) => `could not be made private (${error.code})`,
        )
  if (reason) warn?.(`${path} is open to other users of this machine and ${reason}`)
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}

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
