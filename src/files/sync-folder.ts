import { closeSync, fsyncSync, openSync } from 'node:fs'

/**
 * Makes changes of a folder's entries durable, like fsync does for a file's content. Throws if the
 * system does not support it.
 */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
