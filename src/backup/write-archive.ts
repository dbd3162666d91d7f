import { hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { pack } from 'tar-stream'
import type { FileEntry } from './manifest.ts'

const ZSTD = {
  params: { [constants.ZSTD_c_checksumFlag]: 1 },
  // Compresses one chunk at a time. If a stream ends while a chunk is being compressed, Node.js
  // appends an empty frame, and a reader would not notice if that frame were missing.
  writableHighWaterMark: 1,
}

/** Adds a file to an archive. Resolves when the next file can be added. */
export type AddFile = (name: string, content: Buffer) => Promise<FileEntry>

/**
 * Writes a tar file that is compressed with Zstandard and that only its owner can read, and syncs
 * it to disk. `fill` adds the files one after the other.
 */
export async function writeArchive<Result>(
  path: string,
  mtime: Date,
  fill: (add: AddFile) => Promise<Result>,
): Promise<Result> {
  const tar = pack()
  const written = pipeline(
    async function* () {
      yield* tar as AsyncIterable<Buffer>
    },
    createZstdCompress(ZSTD),
    createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true }),
  )
  const filled = fill(async (name, content) => {
    await new Promise<void>((resolve, reject) => {
      const done = (error?: Error | null) => (error ? reject(error) : resolve())
      tar.entry({ name, mode: 0o600, mtime }, content, done).on('error', reject)
    })
    return { name, bytes: content.length, sha256: hash('sha256', content) }
  })
  filled.then(
    () => tar.finalize(),
    (error) => tar.destroy(error),
  )
  await Promise.allSettled([written, filled])
  // Awaited first, because on a full disk both fail, and only this error has the reason.
  await written
  return filled
}
