import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Source, SourceError, type SourcePage, type SourceRow } from '../record.ts'
import { type CsvOptions, readCsv } from './csv.ts'
import { decodeText, type OpenText } from './decode-text.ts'
import { readJsonl } from './jsonl.ts'
import { readList } from './list.ts'

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

export type FileSource = 'csv' | 'jsonl' | 'list'

/** How a file is read. */
export type FileOptions = CsvOptions

type ReadRows = (open: OpenText, options: FileOptions) => AsyncIterable<SourceRow>
/** Readers read the entire file first, so that nothing is imported from one in another encoding. */
const READERS: Record<FileSource, ReadRows> = {
  csv: readCsv,
  async *jsonl(open, { ignored }) {
    await requireText(open())
    yield* readJsonl(open({ isCounted: true }), ignored)
  },
  async *list(open, options) {
    await requireText(open())
    yield* readList(open, options)
  },
}

export function isFileSource(source: Source): source is FileSource {
  return source in READERS
}

/** Opens a file at the start. Files are read several times. */
export type OpenFile = (onRead?: (bytes: number) => void) => AsyncIterable<Buffer>

/**
 * Yields the rows of a file in batches.
 *
 * @throws SourceError if the file is empty, is not UTF-8 text, or does not have this format
 */
export async function* readFilePages(
  source: FileSource,
  open: OpenFile,
  { onRead = () => {}, ...options }: FileOptions & { onRead?: (bytes: number) => void } = {},
): AsyncGenerator<SourcePage> {
  const openText: OpenText = ({ isCounted = false } = {}) =>
    decodeText(open(isCounted ? onRead : () => {}))
  let rows: SourceRow[] = []
  let size = 0
  const unused = new Set<string>()
  let lastRow: number | undefined
  for await (const row of READERS[source](openText, options)) {
    const isFull = rows.length >= MAX_ROWS || size >= MAX_BYTES
    // The names of a link stay in one batch, because they have the number of their row in common.
    if (isFull && row.row !== lastRow) {
      yield { rows, unused: [...unused] }
      rows = []
      size = 0
    }
    lastRow = row.row
    rows.push(row)
    size += row.size
    for (const name of row.unused ?? []) {
      if (unused.size < MAX_UNUSED) unused.add(name.slice(0, MAX_NAME_LENGTH).toWellFormed())
    }
    if (rows.length % ROWS_PER_TURN === 0) await nextTurn()
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
    throw new SourceError('file_unreadable', { path, code: error.code ?? '' })
  })
  if (!status.isFile()) throw new SourceError('not_a_file', { path })
}

/** Requires that a file is text and not empty. @throws SourceError if it is not */
async function requireText(chunks: AsyncIterable<Buffer>): Promise<void> {
  let isEmpty = true
  for await (const _ of chunks) isEmpty = false
  if (isEmpty) throw new SourceError('empty_file')
}
