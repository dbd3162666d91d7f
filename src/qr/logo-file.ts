import { constants, type FileHandle, open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { invalid } from '../errors.ts'

/** A name that stays in its folder on any system, and is not hidden there. */
const FILE_NAME = /^(?!\.)[^/\\:\p{Cc}]{1,200}\.(png|jpe?g)$/iu

/** Not to wait for who writes into a pipe; the link was followed before, and it has no other. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

/**
 * The bytes of one of the operator's logos, at most `maxBytes`. A link is followed as long as it
 * stays in the folder (container platforms lay files out that way); what is no plain file is none.
 *
 * @throws AppError `invalid_input` naming `logo`
 */
export async function openLogoFile(
  folder: string | undefined,
  name: string,
  maxBytes: number,
): Promise<Buffer> {
  if (folder === undefined || !FILE_NAME.test(name) || !name.isWellFormed()) {
    throw invalid('logo', 'must be an http or https URL, or the name of a logo of this service')
  }
  const path = await findInside(folder, name)
  const file = path === undefined ? undefined : await open(path, READ).catch(() => undefined)
  if (!file) throw missing()
  try {
    return await readPlain(file, maxBytes)
  } finally {
    await file.close()
  }
}

/** Where the file really is; undefined if it is not there or outside of the folder. */
async function findInside(folder: string, name: string): Promise<string | undefined> {
  try {
    const [root, path] = await Promise.all([realpath(folder), realpath(join(folder, name))])
    return path.startsWith(root.endsWith(sep) ? root : root + sep) ? path : undefined
  } catch {
    return undefined
  }
}

async function readPlain(file: FileHandle, maxBytes: number): Promise<Buffer> {
  if (!(await file.stat()).isFile()) throw missing()
  // Read and not asked for its size, which may change and which files of the kernel do not have.
  const stream = file.createReadStream({ end: maxBytes, autoClose: false })
  const bytes = Buffer.concat(await Array.fromAsync<Buffer>(stream))
  if (bytes.length > maxBytes) throw invalid('logo', 'must be at most 1 MiB')
  return bytes
}

function missing() {
  return invalid('logo', 'names a file that does not exist')
}
