import { constants, type FileHandle, open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { invalid } from '../errors.ts'

/** A name that is valid on every system, stays inside its folder, and is not hidden. */
const FILE_NAME = /^(?!\.)[^/\\:\p{Cc}]{1,200}\.(png|jpe?g)$/iu

/** Does not block on a pipe. The path is already resolved, so symbolic links are not followed. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

/**
 * Returns the content of one of the operator's logos, at most `maxBytes`. Follows symbolic links in
 * the folder, because container platforms create them. Accepts only regular files.
 *
 * @throws AppError `invalid_input` naming `logo`
 */
export async function openLogoFile(
  folder: string | undefined,
  name: string,
  maxBytes: number,
): Promise<Buffer> {
  if (folder === undefined || !FILE_NAME.test(name) || !name.isWellFormed()) {
    throw invalid('logo', 'logo')
  }
  const path = await findInside(folder, name)
  const file = path === undefined ? undefined : await open(path, OPEN_FLAGS).catch(() => undefined)
  if (!file) throw createMissingFileError()
  try {
    return await readRegularFile(file, maxBytes)
  } finally {
    await file.close()
  }
}

/** Returns the real path, or undefined if it does not exist or is outside of the folder. */
async function findInside(folder: string, name: string): Promise<string | undefined> {
  try {
    const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, name))])
    return path.startsWith(root.endsWith(sep) ? root : root + sep) ? path : undefined
  } catch {
    return undefined
  }
}

async function readRegularFile(file: FileHandle, maxBytes: number): Promise<Buffer> {
  if (!(await file.stat()).isFile()) throw createMissingFileError()
  // Reads up to the limit and does not check the size, because the size may change and is 0 for
  // kernel files.
  const stream = file.createReadStream({ end: maxBytes, autoClose: false })
  const bytes = Buffer.concat(await Array.fromAsync<Buffer>(stream))
  if (bytes.length > maxBytes) throw invalid('logo', 'at_most_mib', { max: 1 })
  return bytes
}

function createMissingFileError() {
  return invalid('logo', 'unknown_file')
}
