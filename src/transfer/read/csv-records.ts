import { type CsvError, type Parser, parse } from 'csv-parse'
import { SourceError } from '../record.ts'

/** The maximum length of a record. The longest destination has 8,192 bytes. */
const MAX_RECORD_LENGTH = 262_144
const DELIMITERS = [',', ';', '\t'] as const
/** The number of bytes at the start in which the delimiter is detected. */
const HEAD_BYTES = 65_536

/** The number of bytes parsed at a time. */
const PART_BYTES = 65_536

/**
 * Yields the records of a CSV file (RFC 4180, also with semicolons or tabs) and skips empty ones.
 * Rows are numbered as in spreadsheets: they start at 1, and empty rows count.
 *
 * @throws SourceError if the file is not valid CSV or is incomplete
 */
export async function* readRecords(
  chunks: AsyncIterable<Buffer>,
): AsyncGenerator<{ row: number; cells: string[] }, void> {
  const { head, all } = await peekStart(chunks)
  let firstError: CsvError | undefined
  const parser = parse({
    bom: true,
    delimiter: detectDelimiter(head),
    max_record_size: MAX_RECORD_LENGTH,
    relax_column_count: true,
    relax_quotes: true,
    // An error would also discard earlier records that have not been read yet.
    skip_records_with_error: true,
    on_skip: (error) => {
      firstError ??= error
      return undefined
    },
  })
  const feeding = feed(parser, all, () => firstError !== undefined)
  let row = 0
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      row += 1
      if (firstError && row > countRecordsBefore(firstError)) break
      const isBlankLine = cells.length === 1 && cells[0] === ''
      if (isBlankLine || (row > 1 && cells.every((cell) => cell.trim() === ''))) continue
      yield { row, cells }
    }
    await feeding
  } finally {
    parser.destroy()
    await feeding.catch(() => {})
  }
  if (firstError) throw toSourceError(firstError)
}

function countRecordsBefore(firstError: CsvError): number {
  return Number((firstError as { records?: number }).records ?? 0)
}

function toSourceError(firstError: CsvError): SourceError {
  const row = countRecordsBefore(firstError) + 1
  switch (firstError.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return new SourceError(`Row ${row}: a quote is not closed; the file may be cut off.`)
    case 'CSV_MAX_RECORD_SIZE':
      return new SourceError(
        `Row ${row} is longer than ${MAX_RECORD_LENGTH} characters; a quote before it may not be closed.`,
      )
    default:
      return new SourceError(`Row ${row} is not valid CSV.`)
  }
}

/**
 * Feeds a stream to the parser with backpressure. The parser parses each part synchronously, so
 * parts are small.
 */
async function feed(
  parser: Parser,
  chunks: AsyncIterable<Buffer>,
  shouldStop: () => boolean,
): Promise<void> {
  try {
    for await (const chunk of chunks) {
      for (let start = 0; start < chunk.length; start += PART_BYTES) {
        if (parser.destroyed) return
        const isFull = !parser.write(chunk.subarray(start, start + PART_BYTES))
        if (isFull && !parser.destroyed) await waitForDrain(parser)
        if (shouldStop()) return void parser.end()
      }
    }
    parser.end()
  } catch (error) {
    parser.destroy(error instanceof Error ? error : new Error(String(error)))
  }
}

function waitForDrain(parser: Parser): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  parser.once('drain', resolve).once('close', resolve)
  return promise.finally(() => parser.off('drain', resolve).off('close', resolve))
}

async function peekStart(chunks: AsyncIterable<Buffer>) {
  const source = chunks[Symbol.asyncIterator]()
  const first: Buffer[] = []
  for (let size = 0; size < HEAD_BYTES; ) {
    const { value, done } = await source.next()
    if (done) break
    first.push(value)
    size += value.length
  }
  async function* all(): AsyncGenerator<Buffer> {
    yield* first
    yield* { [Symbol.asyncIterator]: () => source }
  }
  return { head: Buffer.concat(first).toString('utf8'), all: all() }
}

/** Returns the delimiter that splits the first line into the most columns. Ignores quoted text. */
function detectDelimiter(head: string): string {
  const line = (/^[^\r\n]*/.exec(head)?.[0] ?? '').replaceAll(/"[^"]*"/g, '')
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}
