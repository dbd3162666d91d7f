import { closeSync, fsyncSync, openSync } from 'node:fs'

/**
 * Makes a folder's entries survive a power loss, as syncing a file does its content: what was created,
 * renamed or removed in it. Throws where the system cannot do that for a folder.
 */
export function syncFolder(folder: string): void {
  const fd = openSync(folder, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
