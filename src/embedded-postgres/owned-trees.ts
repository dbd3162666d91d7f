import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { readFile, realpath, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Runner } from './runner.ts'

const execute = promisify(execFile)

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
