import { randomFillSync } from 'node:crypto'
import { closeSync, fstatSync, ftruncateSync, openSync, statfsSync } from 'node:fs'
import { open, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'

/** Released at a time: enough for hundreds of clicks, and little for other programs to take. */
const STEP = 256 << 10
const CHUNK = 1 << 20

/** Returns whether an error of `node:fs` means that the disk, or the share of a user, is full. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? '')
}

/**
 * Frees a part of a journal folder's reserve on a full disk. Returns the number of bytes left, or
 * undefined if there was nothing to free.
 */
export function releaseReserve(dir: string): number | undefined {
  let fd: number | undefined
  try {
    fd = openSync(getReserveFile(dir), 'r+')
    const { size } = fstatSync(fd)
    if (size === 0) return undefined
    const left = Math.max(0, size - STEP)
    ftruncateSync(fd, left)
    return left
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/**
 * Makes the reserve of a journal folder as large as `bytes`. It takes at most half of the free
 * space, so that a small disk is not filled by it. Its content is random, because some file systems
 * store other content in less space.
 */
export async function fillReserve(dir: string, bytes: number): Promise<void> {
  const path = getReserveFile(dir)
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  )
  if (size > bytes) await truncate(path, bytes)
  const { bavail, bsize } = statfsSync(dir)
  const target = Math.min(bytes, size + Math.floor((bavail * bsize) / 2))
  // A reserve that is in use grows back in large steps, once there is space again.
  if (target - size < Math.min(CHUNK, bytes - size) || target <= size) return
  const file = await open(path, 'a', 0o600)
  try {
    const chunk = randomFillSync(Buffer.allocUnsafe(CHUNK))
    for (let end = size; end < target; end += CHUNK) {
      await file.write(chunk, 0, Math.min(CHUNK, target - end))
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

function getReserveFile(dir: string): string {
  return join(dir, 'reserve')
}
