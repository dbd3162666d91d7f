import { randomBytes } from 'node:crypto'
import { type FileHandle, open, rename, rm } from 'node:fs/promises'

type Options = {
  /** The user who gets the file; by default the one that this process runs as. */
  owner?: { uid: number; gid: number }
}

/**
 * Replaces the file at `path` with a new one that only its owner can read. The file appears under its
 * name once it is complete and on the disk.
 *
 * Safe in a folder to which a less privileged user can write: the draft is always a new file (O_EXCL,
 * which also refuses a symbolic link), and its owner and mode are set on the descriptor. Whatever the
 * other user puts in its place meanwhile is neither written to nor given away.
 */
export async function replaceFile(
  path: string,
  write: (draft: FileHandle) => Promise<void>,
  { owner }: Options = {},
): Promise<void> {
  const draftPath = `${path}.${randomBytes(4).toString('hex')}.partial`
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
