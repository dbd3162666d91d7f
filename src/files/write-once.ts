import { randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

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
