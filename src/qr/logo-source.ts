import { createHash } from 'node:crypto'
import { constants, type FileHandle, open, realpath } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { LRUCache } from 'lru-cache'
import { invalid } from '../errors.ts'
import type { GuardedFetch } from '../net/guarded-fetch.ts'
import { OutboundError } from '../net/outbound-error.ts'
import type { LogoDecoder } from '../pictures/logo-process.ts'

/** A name that is valid on every system, stays inside its folder, and is not hidden. */
const FILE_NAME = /^(?!\.)[^/\\:\p{Cc}]{1,200}\.(png|jpe?g)$/iu

/** Does not block on a pipe. The path is already resolved, so symbolic links are not followed. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW

type Dependencies = {
  outbound: Pick<GuardedFetch, 'fetch'>
  decoder: Pick<LogoDecoder, 'decode'>
  /** The folder of the operator's logos, if there is one. */
  logoDir: string | undefined
}

/** The maximum size of a logo before it is decoded. */
export const MAX_LOGO_BYTES = 1_048_576

/**
 * The size of the cache for uploaded images. The page for choosing a logo sends it again with every
 * preview.
 */
const DECODED_BYTES = 4 * 1_048_576

/**
 * Creates the function that converts a client's logo to the PNG that is stored. The logo is bytes,
 * a URL, or the name of one of the operator's files. The function may take as long as the timeout
 * of outbound requests, so do not call it in a transaction. The reason why a request failed is not
 * revealed, because it would let users explore the operator's network.
 *
 * The function throws AppError `busy` if too many logos are being read, or `invalid_input` naming
 * `logo`.
 */
export function createLogoReader({ outbound, decoder, logoDir }: Dependencies) {
  const decodedCache = new LRUCache<string, Buffer>({
    maxSize: DECODED_BYTES,
    sizeCalculation: (picture) => picture.length,
  })

  return async function readLogo(account: number, logo: string | Buffer): Promise<Buffer> {
    if (typeof logo !== 'string') return decodeOnce(account, logo)
    const bytes = /^https?:\/\//i.test(logo)
      ? await download(account, logo)
      : await openLogoFile(logoDir, logo, MAX_LOGO_BYTES)
    return decoder.decode(account, bytes)
  }

  async function decodeOnce(account: number, bytes: Buffer): Promise<Buffer> {
    if (bytes.length > MAX_LOGO_BYTES) throw invalid('logo', 'at_most_mib', { max: 1 })
    const key = createHash('sha256').update(bytes).digest('base64')
    const picture = decodedCache.get(key) ?? (await decoder.decode(account, bytes))
    decodedCache.set(key, picture)
    return picture
  }

  async function download(account: number, url: string): Promise<Buffer> {
    try {
      const { status, body } = await outbound.fetch(url, { account, maxBytes: MAX_LOGO_BYTES })
      if (status === 200) return body
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
    }
    throw invalid('logo', 'logo_not_fetched')
  }
}

/**
 * Returns the content of one of the operator's logos, at most `maxBytes`. Follows symbolic links in
 * the folder, because container platforms create them. Accepts only regular files.
 *
 * @throws AppError `invalid_input` naming `logo`
 */
async function openLogoFile(
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
