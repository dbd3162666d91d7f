import { lstat, mkdir, readlink, rename, rm, rmdir, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { createDraftPath } from './draft-path.ts'
import { syncFolder } from './sync-folder.ts'

/**
 * Replaces the folder at `path` atomically with a new one that `write` fills. `path` becomes a
 * symbolic link to a folder beside it, because only a link can be replaced in one step. The old
 * folder is then deleted.
 *
 * @throws Error if `path` is something other than such a link or an empty folder, and any error of
 * `write`
 */
export async function replaceFolder<Result>(
  path: string,
  write: (draft: string) => Promise<Result>,
): Promise<Result> {
  const old = await findCurrentFolder(path)
  await mkdir(dirname(path), { recursive: true })
  const draft = await createDraftPath(path, old ? { current: basename(old) } : {})
  await mkdir(draft)
  try {
    const result = await write(draft)
    const link = `${draft}.link`
    await symlink(basename(draft), link)
    await rename(link, path)
    syncFolder(dirname(path))
    if (old) await rm(old, { recursive: true, force: true })
    return result
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    throw error
  }
}

/**
 * Returns the folder to which the link at `path` points, or undefined if there is none. If there is
 * an empty folder instead, deletes it.
 */
async function findCurrentFolder(path: string): Promise<string | undefined> {
  const stats = await lstat(path).catch(ignoreMissing)
  if (!stats) return undefined
  if (stats.isDirectory()) {
    await rmdir(path).catch(() => rejectPath(path))
    return undefined
  }
  const target = stats.isSymbolicLink() ? await readlink(path) : ''
  const isOurs =
    target.startsWith(`${basename(path)}.`) &&
    /^[0-9a-f]{8}$/.test(target.slice(-8)) &&
    target === basename(target)
  return isOurs ? join(dirname(path), target) : rejectPath(path)
}

function rejectPath(path: string): never {
  throw new Error(`${path} exists and was not written by this command: name a new folder`)
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}
