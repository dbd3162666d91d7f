import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { createDraftPath } from './draft-path.ts'

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
