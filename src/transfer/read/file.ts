import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Source, SourceError, type SourcePage, type SourceRow } from '../record.ts'
import { readCsv } from './csv.ts'
import { readJsonl } from './jsonl.ts'

/** Rows of one batch, and about how many bytes they may take together. */
const ROWS = 1000
const BYTES = 4 * 1024 * 1024
/** Rows after which others have a turn: what stores the batch before is soon to be told of an answer. */
const TURN = 20
/** Names of unused columns or fields that are told, and how much of each. */
const MOST_UNUSED = 50
const LONGEST_NAME = 60

const READERS = { csv: readCsv, jsonl: readJsonl } as const
export type FileSource = keyof typeof READERS

export function isFileSource(source: Source): source is FileSource {
  return source in READERS
}

/** Opens a file at its beginning; it is read twice. */
export type OpenFile = (onRead?: (bytes: number) => void) => AsyncIterable<Buffer>

/**
 * The rows of a file in batches.
 *
 * @throws SourceError if it is empty, not text in UTF-8, or not of that format
 */
export async function* readFilePages(
  source: FileSource,
  open: OpenFile,
  onRead?: (bytes: number) => void,
): AsyncGenerator<SourcePage> {
  await requireText(open(() => {}))
  let rows: SourceRow[] = []
  let size = 0
  const unused = new Set<string>()
  for await (const row of READERS[source](open(onRead))) {
    rows.push(row)
    size += row.size
    for (const name of row.unused ?? []) {
      if (unused.size < MOST_UNUSED) unused.add(name.slice(0, LONGEST_NAME).toWellFormed())
    }
    if (rows.length % TURN === 0) await nextTurn()
    if (rows.length < ROWS && size < BYTES) continue
    yield { rows, unused: [...unused] }
    rows = []
    size = 0
  }
  if (rows.length > 0) yield { rows, unused: [...unused] }
}

/** A file of this machine. Reading it throws SourceError if there is none. */
export function fileAt(path: string): OpenFile {
  return async function* chunks(onRead = () => {}) {
    await sizeOf(path)
    yield* counted(createReadStream(path, { highWaterMark: 1024 * 1024 }), onRead)
  }
}

/** Tells how many bytes have been read. */
export async function* counted(
  chunks: AsyncIterable<Buffer>,
  onRead: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let read = 0
  for await (const chunk of chunks) {
    read += chunk.length
    onRead(read)
    yield chunk
  }
}

/** The size of a file in bytes. @throws SourceError if there is none */
async function sizeOf(path: string): Promise<number> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new SourceError(`${path} cannot be read: ${error.code}`)
  })
  if (!found.isFile()) throw new SourceError(`${path} is not a file`)
  return found.size
}

/** A look at the whole file first, so that one in another encoding changes nothing. */
async function requireText(chunks: AsyncIterable<Buffer>): Promise<void> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let offset = 0
  try {
    for await (const chunk of chunks) {
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
  if (offset === 0) throw new SourceError('The file is empty.')
}

function isUtf16([first, second]: Buffer): boolean {
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}
