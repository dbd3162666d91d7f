import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { SourceError, type SourcePage, type SourceRow } from '../record.ts'
import { readCsv } from './csv.ts'
import { readJsonl } from './jsonl.ts'

/** Rows of one batch, and about how many bytes they may take together. */
const ROWS = 1000
const BYTES = 4 * 1024 * 1024

const READERS = { csv: readCsv, jsonl: readJsonl } as const
type FileSource = keyof typeof READERS

/**
 * The rows of a file in batches. `onRead` is told how many bytes have been read.
 *
 * @throws SourceError if it is no file, empty, not text in UTF-8, or not of that format
 */
export async function* readFilePages(
  source: FileSource,
  path: string,
  onRead: (bytes: number) => void = () => {},
): AsyncGenerator<SourcePage> {
  await requireText(path)
  let rows: SourceRow[] = []
  let size = 0
  for await (const row of READERS[source](chunksOf(path, onRead))) {
    rows.push(row)
    size += row.size
    if (rows.length < ROWS && size < BYTES) continue
    yield { rows }
    rows = []
    size = 0
  }
  if (rows.length > 0) yield { rows }
}

/** The size of a file in bytes. @throws SourceError if there is none */
export async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new SourceError(`${path} cannot be read: ${error.code}`)
  })
  if (!found.isFile()) throw new SourceError(`${path} is not a file`)
  return found.size
}

/** A look at the whole file first, so that one in another encoding changes nothing. */
async function requireText(path: string): Promise<void> {
  if ((await sizeOf(path)) === 0) throw new SourceError('The file is empty.')
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let offset = 0
  try {
    for await (const chunk of chunksOf(path, () => {})) {
      if (offset === 0 && isUtf16(chunk)) throw new TypeError()
      decoder.decode(chunk, { stream: true })
      if (chunk.includes(0)) throw new TypeError()
      offset += chunk.length
    }
    decoder.decode()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new SourceError(
      `The file is not text in UTF-8 (see byte ${offset} and after). Save it as UTF-8 and try again.`,
    )
  }
}

function isUtf16([first, second]: Buffer): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}

async function* chunksOf(path: string, onRead: (bytes: number) => void): AsyncGenerator<Buffer> {
  let read = 0
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    read += (chunk as Buffer).length
    onRead(read)
    yield chunk as Buffer
  }
}
