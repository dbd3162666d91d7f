import { hash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { pack } from 'tar-stream'
import type { FileEntry } from './manifest.ts'

const ZSTD = {
  params: { [constants.ZSTD_c_checksumFlag]: 1 },
  // One chunk at a time. If a stream ends while a chunk is being compressed, Node.js adds an empty
  // frame, and a reader would not notice that this frame is cut off.
  writableHighWaterMark: 1,
}

/** Adds a file to an archive and resolves once the archive can take the next one. */
export type AddFile = (name: string, content: Buffer) => Promise<FileEntry>

/**
 * Writes a tar, compressed by Zstandard, to a new file that only its owner can read, and syncs it
 * to disk. `fill` adds the files, one after the other.
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
  // First, because a full disk fails both, and only this error names the reason.
  await written
  return filled
}
