import { type CsvError, type Parser, parse } from 'csv-parse'
import { SourceError } from '../record.ts'
import {
  type Dialect,
  isStrictCsv,
  resolveEscapes,
  splitChunks,
  toParserOptions,
} from './csv-dialect.ts'
import type { OpenText } from './decode-text.ts'

/** The maximum length of a record. A link's rules, targets and split have up to 256 KB each. */
const MAX_RECORD_LENGTH = 2 * 1024 * 1024

/**
 * Yields the records of a CSV file in UTF-8 and skips empty ones. Rows are numbered as in
 * spreadsheets: they start at 1, and empty rows count. `NULL` and `\N` of databases are empty, and
 * their escapes are resolved.
 *
 * @throws SourceError if the file is not valid CSV or is incomplete
 */
export async function* readRecords(
  open: OpenText,
  dialect: Dialect,
  options?: Parameters<OpenText>[0],
): AsyncGenerator<{ row: number; cells: string[] }, void> {
  let firstError: CsvError | undefined
  const parser = parse({
    ...toParserOptions(dialect),
    max_record_size: MAX_RECORD_LENGTH,
    relax_quotes: true,
    // An error would also discard earlier records that have not been read yet.
    skip_records_with_error: true,
    on_skip: (error) => {
      firstError ??= error
      return undefined
    },
    ...(dialect.nulls === 'unquoted' && {
      cast: (value, { quoting }) => (!quoting && isNull(value) ? '' : value),
    }),
  })
  const feeding = feed(parser, splitChunks(open(options), dialect), () => firstError !== undefined)
  const isEscaped = dialect.escape === '\\' && dialect.quote === false
  let row = 0
  let isStrict: boolean | undefined
  try {
    for await (const cells of parser as AsyncIterable<string[]>) {
      row += 1
      if (firstError && row > countRecordsBefore(firstError)) break
      const isBlankLine = cells.length === 1 && cells[0] === ''
      if (isBlankLine || (row > 1 && cells.every((cell) => cell.trim() === ''))) continue
      if (cells.some(mayBeSwallowed)) {
        isStrict ??= await isStrictCsv(open, dialect)
        if (!isStrict) throw createOpenQuoteError(row)
      }
      const hasNulls = dialect.nulls === 'any' && row > 1
      const texts = hasNulls ? cells.map((cell) => (isNull(cell) ? '' : cell)) : cells
      yield { row, cells: isEscaped ? texts.map(resolveEscapes) : texts }
    }
    await feeding
  } finally {
    parser.destroy()
    await feeding.catch(() => {})
  }
  if (firstError) throw toSourceError(firstError)
}

function isNull(cell: string): boolean {
  return cell === 'NULL' || cell === '\\N'
}

/**
 * Returns whether a cell may contain the rest of its row and the next ones, because it begins with a
 * quote that is not closed.
 */
function mayBeSwallowed(cell: string): boolean {
  return cell.startsWith('"') && /[\r\n]/.test(cell)
}

function countRecordsBefore(firstError: CsvError): number {
  return Number((firstError as { records?: number }).records ?? 0)
}

function createOpenQuoteError(row: number): SourceError {
  return new SourceError('quote_open', { row })
}

function toSourceError(firstError: CsvError): SourceError {
  const row = countRecordsBefore(firstError) + 1
  switch (firstError.code) {
    case 'CSV_QUOTE_NOT_CLOSED':
      return createOpenQuoteError(row)
    case 'CSV_MAX_RECORD_SIZE':
      return new SourceError('row_too_long', { row, max: MAX_RECORD_LENGTH })
    default:
      return new SourceError('row_invalid', { row })
  }
}

/** Feeds a stream to the parser with backpressure. */
async function feed(
  parser: Parser,
  parts: AsyncIterable<Buffer>,
  shouldStop: () => boolean,
): Promise<void> {
  try {
    for await (const part of parts) {
      if (parser.destroyed) return
      const isFull = !parser.write(part)
      if (isFull && !parser.destroyed) await waitForDrain(parser)
      if (shouldStop()) return void parser.end()
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
