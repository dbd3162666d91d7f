import { closeSync, fsyncSync, openSync } from 'node:fs'

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
