import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { isDeepStrictEqual } from 'node:util'
import { constants, createZstdDecompress } from 'node:zlib'
import { type Extract, extract } from 'tar-stream'
import { type FileEntry, listFiles, MANIFEST, type Manifest, parseManifest } from './manifest.ts'

/** A file in an archive. Its data can be read until the next file is requested. */
export type ArchivedFile = { name: string; data: AsyncIterable<Buffer> }

/**
 * The maximum window size. Backups have a window of 2 MiB, but a forged file could request a
 * thousand times as much memory.
 */
const MAX_WINDOW_LOG = 23
/** Limits how much memory a restore uses if the file is forged. */
const MAX_MANIFEST_BYTES = 64 << 20
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

/** Reads the rest of an archive, which verifies it, and returns its manifest. */
export async function checkArchive(files: AsyncGenerator<unknown, Manifest>): Promise<Manifest> {
  for (;;) {
    const { done, value } = await files.next()
    if (done) return value
  }
}

async function* readFiles(tar: Extract): AsyncGenerator<ArchivedFile, Manifest> {
  const filesRead: FileEntry[] = []
  let manifest: Manifest | undefined
  for await (const entry of tar) {
    const { name, type, size = 0 } = entry.header
    if (manifest) throw new Error(`something follows its ${MANIFEST}`)
    const isManifest = name === MANIFEST
    const isTooLarge = isManifest ? size > MAX_MANIFEST_BYTES : filesRead.length === MAX_FILES
    if (type !== 'file' || name.length > 100 || isTooLarge) {
      throw new Error('it contains something other than the files of a backup')
    }
    if (isManifest) {
      manifest = parseManifest(await text(entry))
      continue
    }
    const file = { name, bytes: 0, sha256: '' }
    const data = hashWhileReading(entry as AsyncIterable<Buffer>, file)
    yield { name, data }
    // Skips the data that the caller has not read.
    for await (const _ of data);
    filesRead.push(file)
  }
  if (!manifest) throw new Error(`it has no ${MANIFEST}`)
  const listed = listFiles(manifest)
  const damaged = listed.find((file, index) => !isDeepStrictEqual(file, filesRead[index]))
  if (damaged) throw new Error(`${damaged.name} is missing or damaged`)
  if (filesRead.length > listed.length) throw new Error(`it has files that its ${MANIFEST} lacks`)
  return manifest
}

async function* hashWhileReading(
  data: AsyncIterable<Buffer>,
  file: FileEntry,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  for await (const chunk of data) {
    hash.update(chunk)
    file.bytes += chunk.length
    yield chunk
  }
  file.sha256 = hash.digest('hex')
}
