import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import {
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readlink,
  rename,
  rm,
  rmdir,
  symlink,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

type Options = {
  /** The owner of the new file. Defaults to the user of this process. */
  owner?: { uid: number; gid: number }
}

/**
 * Replaces the file at `path` atomically with a new one that only its owner can read.
 *
 * This is safe in a folder to which a user with fewer privileges can write. The draft is always a
 * new file (O_EXCL also rejects symbolic links), and its owner and mode are set through the file
 * descriptor. If the other user puts a file or link in its place, it is not written to, and its
 * owner does not change.
 */
export async function replaceFile(
  path: string,
  write: (draft: FileHandle) => Promise<void>,
  { owner }: Options = {},
): Promise<void> {
  const draftPath = await createDraftPath(path, { suffix: '.partial' })
  const draft = await open(draftPath, 'wx', 0o600)
  try {
    await write(draft)
    await draft.chmod(0o600)
    if (owner) await draft.chown(owner.uid, owner.gid)
    await draft.sync()
    await draft.close()
    await rename(draftPath, path)
  } catch (error) {
    await draft.close().catch(() => {})
    await rm(draftPath, { force: true })
    throw error
  }
}

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

/**
 * Returns an unused path beside `path` for a draft that will replace it. Deletes the drafts that
 * killed processes have left, except `current`, the name of the draft that `path` links to.
 */
export async function createDraftPath(
  path: string,
  { suffix = '', current }: { suffix?: string; current?: string } = {},
): Promise<string> {
  const folder = dirname(path)
  const prefix = `${basename(path)}.`
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(prefix) || name === current) continue
    const [, pid] = /^(\d+)-[0-9a-f]{8}(\.partial|\.link)?$/.exec(name.slice(prefix.length)) ?? []
    if (!pid || isRunning(Number(pid))) continue
    await rm(join(folder, name), { recursive: true, force: true }).catch(() => {})
  }
  return `${path}.${process.pid}-${randomBytes(4).toString('hex')}${suffix}`
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Another user's process may not be signaled.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Returns the content of a file, which the first process creates with `content`. Durable, and safe
 * with concurrent processes.
 *
 * @throws Error if the file cannot be created
 */
export function readOrCreate(file: string, content: string): string {
  const existing = readIfExists(file)
  if (existing !== undefined) return existing
  const draft = `${file}.${randomBytes(6).toString('hex')}`
  writeFileSync(draft, content, { flag: 'wx', mode: 0o600, flush: true })
  let cause: unknown
  try {
    linkSync(draft, file)
  } catch (error) {
    // Another process may have created the file first.
    cause = error
  }
  rmSync(draft, { force: true })
  syncFolder(dirname(file))
  const created = readIfExists(file)
  if (created === undefined) throw cause
  return created
}

/** Returns the content of a small file, or undefined if it does not exist. */
export function readIfExists(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Returns whether an open file still has its path. It does not once it is deleted or moved. */
export function isInPlace(path: string, fd: number): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino
  } catch {
    // Unknown, for example because a folder may not be opened any longer.
    return true
  }
}

/**
 * Makes changes of a folder's entries durable, like fsync does for the content of a file. Throws if
 * the system does not support this.
 */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
