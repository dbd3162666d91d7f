import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import { constants, createZstdDecompress } from 'node:zlib'
import { type Extract, extract } from 'tar-stream'
import { type FileEntry, filesOf, MANIFEST, type Manifest, parseManifest } from './manifest.ts'

/** A file in an archive. Its data can be read until the next file is requested. */
export type ArchivedFile = { name: string; data: AsyncIterable<Buffer> }

/**
 * The maximum window size. Backups have a window of 2 MiB, but a forged file could request a
 * thousand times as much memory.
 */
const MAX_WINDOW_LOG = 23
/** Limits how much memory a restore uses if the file is forged. */
const MAX_MANIFEST = 64 << 20
const MAX_FILES = 200_000

/**
 * Yields the files of a backup and then returns its manifest. Uses a limited amount of memory. Only
 * when it returns are all files known to be complete and unchanged.
 *
 * @throws Error if the file is not a complete backup
 */
export async function* readArchive(path: string): AsyncGenerator<ArchivedFile, Manifest> {
  const tar = extract()
  const params = { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG }
  const source = createReadStream(path)
  const unpacked = createZstdDecompress({ params })
  const reading = pipeline(source, unpacked, tar)
  // The iteration below throws the same error.
  reading.catch(() => {})
  try {
    const manifest = yield* readFiles(tar)
    await reading
    if (unpacked.bytesWritten < source.bytesRead) throw new Error('something follows its end')
    return manifest
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    if (['ENOENT', 'EACCES', 'EISDIR', 'EIO'].includes(code)) throw error
    const reason = code === 'ZSTD_error_prefix_unknown' ? 'it is not a Zstandard file' : message
    throw new Error(`${path} is not a complete backup: ${reason}.`, { cause: error })
  } finally {
    tar.destroy()
  }
}

/** Reads the remaining part of an archive and returns its manifest. */
export async function checkArchive(files: AsyncGenerator<unknown, Manifest>): Promise<Manifest> {
  for (;;) {
    const { done, value } = await files.next()
    if (done) return value
  }
}

async function* readFiles(tar: Extract): AsyncGenerator<ArchivedFile, Manifest> {
  const found: FileEntry[] = []
  let manifest: Manifest | undefined
  for await (const entry of tar) {
    const { name, type, size = 0 } = entry.header
    if (manifest) throw new Error(`something follows its ${MANIFEST}`)
    const isManifest = name === MANIFEST
    const tooMuch = isManifest ? size > MAX_MANIFEST : found.length === MAX_FILES
    if (type !== 'file' || name.length > 100 || tooMuch) {
      throw new Error('it contains something other than the files of a backup')
    }
    if (isManifest) {
      manifest = parseManifest(await text(entry))
      continue
    }
    const file = { name, bytes: 0, sha256: '' }
    const data = measure(entry as AsyncIterable<Buffer>, file)
    yield { name, data }
    // Skips the data that the caller has not read.
    for await (const _ of data);
    found.push(file)
  }
  if (!manifest) throw new Error(`it has no ${MANIFEST}`)
  const listed = filesOf(manifest)
  const wrong = listed.find((file, index) => !isDeepStrictEqual(file, found[index]))
  if (wrong) throw new Error(`${wrong.name} is missing or damaged`)
  if (found.length > listed.length) throw new Error(`it has files that its ${MANIFEST} lacks`)
  return manifest
}

async function* measure(data: AsyncIterable<Buffer>, file: FileEntry): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of data) {
    hash.update(chunk)
    file.bytes += chunk.length
    yield chunk
  }
  file.sha256 = hash.digest('hex')
}
