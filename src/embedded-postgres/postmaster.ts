import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { readFile, readlink, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Runner } from './runner.ts'

const execute = promisify(execFile)

/** A running PostgreSQL server, as described by its lock file. */
export type Postmaster = { pid: number; port: number; ready: boolean }

const STOP_TIMEOUT_MS = 60_000

/**
 * Returns the server that runs on `cluster`, or undefined. Ignores a stale lock file, even if
 * another program now has its pid.
 */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const lockFile = await readLockFile(cluster)
  if (!lockFile || !isAlive(lockFile.pid)) return
  return (await isPossiblyPostmaster(lockFile.pid, cluster)) ? lockFile : undefined
}

/** Returns the pid in a stale lock file, or 0. */
export async function readStalePid(cluster: string): Promise<number> {
  const { pid } = (await readLockFile(cluster)) ?? { pid: 0 }
  return pid > 0 && !(await isPossiblyPostmaster(pid, cluster)) ? pid : 0
}

/**
 * Reads the lock file. See https://www.postgresql.org/docs/18/storage-file-layout.html and
 * src/include/utils/pidfile.h.
 */
async function readLockFile(cluster: string): Promise<Postmaster | undefined> {
  const file = join(cluster, 'postmaster.pid')
  const text = await readOwnedFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return
    throw error
  })
  const [pidLine = '', , , portLine = '', , , , status = ''] = text?.split('\n') ?? []
  const pid = Number.parseInt(pidLine, 10)
  if (!(pid > 0)) return
  return { pid, port: Number.parseInt(portLine, 10) || 0, ready: status.trim() === 'ready' }
}

/**
 * Shuts the server down like `pg_ctl stop -m fast`, and waits until it has ended. Sends the signal
 * directly, because pg_ctl would have to run as the server's user.
 *
 * @throws Error if the server is still running after a minute
 */
export async function stopPostmaster({ pid }: Postmaster, cluster: string): Promise<void> {
  try {
    process.kill(pid, 'SIGINT')
  } catch (error) {
    if (isAlive(pid)) throw error
  }
  const deadline = Date.now() + STOP_TIMEOUT_MS
  while ((await findPostmaster(cluster))?.pid === pid) {
    if (Date.now() > deadline) {
      throw new Error(`The embedded PostgreSQL (pid ${pid}) did not stop within a minute.`)
    }
    await sleep(20)
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/**
 * Returns whether the process may be the server of `cluster`. Returns false only if the system
 * reports another program.
 */
async function isPossiblyPostmaster(pid: number, cluster: string): Promise<boolean> {
  if (process.platform !== 'linux') return true
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
  if (folder === cluster) return true
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => undefined)
  return commandLine === undefined ? isAlive(pid) : commandLine.split('\0').includes(cluster)
}

// These trees belong to a user with fewer privileges, who could replace a folder with a symbolic
// link while root walks through them. Only openat(2) is safe against this. Node.js does not offer
// it, but chown and rm use it.

/**
 * Reads a text file in a folder of the runner's user. Does not follow a symbolic link in its place,
 * which may lead to a file that only root can read, and does not wait for a named pipe.
 */
export async function readOwnedFile(path: string): Promise<string> {
  const flag = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  return readFile(path, { encoding: 'utf8', flag })
}

/** Makes the runner's user the owner of a folder and its content, if necessary. */
export async function changeOwner({ owner }: Runner, folder: string): Promise<void> {
  const path = await realpath(folder)
  if ((await stat(path)).uid === owner.uid) return
  // The folder itself changes last, so that the next start repeats an interrupted change.
  await execute('chown', ['-RhP', `${owner.uid}:${owner.gid}`, path])
}

/** Removes a folder and its content. */
export async function removeTree(folder: string): Promise<void> {
  await execute('rm', ['-rf', folder])
}
