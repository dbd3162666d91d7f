import { execFile } from 'node:child_process'
import { realpath, stat } from 'node:fs/promises'
import { promisify } from 'node:util'
import type { Runner } from './runner.ts'

const execute = promisify(execFile)

// These trees belong to a user with fewer privileges, who could replace a folder with a symbolic
// link while root walks through them. Only openat(2) is safe against this. Node.js does not offer
// it, but chown and rm use it.

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
