import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Source, SourceError, type SourcePage, type SourceRow } from '../record.ts'
import { readCsv } from './csv.ts'
import type { Mapping } from './csv-columns.ts'
import { readJsonl } from './jsonl.ts'

/** The maximum number of rows per batch. */
const MAX_ROWS = 1000
/** The approximate maximum size of a batch. */
const MAX_BYTES = 4 * 1024 * 1024
/**
 * The number of rows read per turn of the event loop, so that storing the previous batch can
 * continue.
 */
const ROWS_PER_TURN = 20
/** The maximum number of unused names to report, and the maximum length of each. */
const MAX_UNUSED = 50
const MAX_NAME_LENGTH = 60

export type FileSource = 'csv' | 'jsonl'

type ReadRows = (chunks: AsyncIterable<Buffer>, mapping?: Mapping) => AsyncIterable<SourceRow>
const READERS: Record<FileSource, ReadRows> = { csv: readCsv, jsonl: readJsonl }

export function isFileSource(source: Source): source is FileSource {
  return source in READERS
}

/** Opens a file at the start. Files are read twice. */
export type OpenFile = (onRead?: (bytes: number) => void) => AsyncIterable<Buffer>

/**
 * Yields the rows of a file in batches. `mapping` specifies the fields of a CSV file's columns.
 *
 * @throws SourceError if the file is empty, is not UTF-8 text, or does not have this format
 */
export async function* readFilePages(
  source: FileSource,
  open: OpenFile,
  { onRead, mapping }: { onRead?: (bytes: number) => void; mapping?: Mapping | undefined } = {},
): AsyncGenerator<SourcePage> {
  await requireText(open(() => {}))
  let rows: SourceRow[] = []
  let size = 0
  const unused = new Set<string>()
  for await (const row of READERS[source](open(onRead), mapping)) {
    rows.push(row)
    size += row.size
    for (const name of row.unused ?? []) {
      if (unused.size < MAX_UNUSED) unused.add(name.slice(0, MAX_NAME_LENGTH).toWellFormed())
    }
    if (rows.length % ROWS_PER_TURN === 0) await nextTurn()
    if (rows.length < MAX_ROWS && size < MAX_BYTES) continue
    yield { rows, unused: [...unused] }
    rows = []
    size = 0
  }
  if (rows.length > 0) yield { rows, unused: [...unused] }
}

/**
 * Returns a function that opens a local file. Reading it throws SourceError if the file does not
 * exist.
 */
export function createFileOpener(path: string): OpenFile {
  return async function* chunks(onRead = () => {}) {
    await requireFile(path)
    yield* countBytes(createReadStream(path, { highWaterMark: 1024 * 1024 }), onRead)
  }
}

/** Yields the chunks unchanged and reports the number of bytes read so far. */
export async function* countBytes(
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

/**
 * Requires that a path is a file.
 *
 * @throws SourceError if it is not
 */
async function requireFile(path: string): Promise<void> {
  const status = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw new SourceError(`${path} cannot be read: ${error.code}`)
  })
  if (!status.isFile()) throw new SourceError(`${path} is not a file`)
}

/**
 * Requires that a file is text in UTF-8 and not empty. Reads the entire file, so that nothing is
 * imported from a file in another encoding.
 *
 * @throws SourceError if it is not
 */
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
