import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CsvError, type Options, parse } from 'csv-parse'
import type { OpenText } from './decode-text.ts'

/** How a file departs from RFC 4180. */
export type Dialect = {
  delimiter: string
  /** Whether the first line is `sep=;`, which tells Excel the delimiter. */
  hasSeparatorLine: boolean
  /** All kinds of line breaks may occur in one file, such as one joined from others. */
  lineBreaks: readonly string[]
  /** MySQL writes a quote in a quoted cell as `\"`. Without quotes, it escapes breaks and tabs. */
  escape: '"' | '\\'
  /** False if quotes are part of the text, as in tab-separated files of databases. */
  quote: '"' | false
  /** Whether cells can be `NULL` or `\N`, and whether `"NULL"` in quotes is text. */
  nulls: 'none' | 'any' | 'unquoted'
}

const DELIMITERS = [',', ';', '\t', '|'] as const
/** The number of bytes at the start in which the delimiter is detected. */
const HEAD_BYTES = 65_536
/** The number of bytes that the search for patterns repeats, because chunks may split them. */
const OVERLAP = 8

/**
 * Detects the dialect of a CSV file in UTF-8. Reads all of it, because a pattern such as `\"` may
 * first occur in the last row.
 */
export async function detectDialect(open: OpenText): Promise<Dialect> {
  let head = Buffer.alloc(0)
  let end = Buffer.alloc(0)
  const found = { escape: false, quote: false, null: false, escapedNull: false, quotedNull: false }
  const backslashes = createBackslashScan()
  let mayBeEscaped = false
  for await (const chunk of open()) {
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES)])
    const bytes = Buffer.concat([end, chunk])
    backslashes.read(chunk)
    found.escape ||= hasEscapedQuote(bytes)
    mayBeEscaped ||= bytes.includes('\\"')
    found.quote ||= bytes.includes('"')
    found.null ||= bytes.includes('NULL')
    found.escapedNull ||= hasNullCell(bytes)
    found.quotedNull ||= bytes.includes('"NULL"') || bytes.includes('"\\N"')
    end = Buffer.from(bytes.subarray(-OVERLAP))
  }
  const areEscapes = backslashes.areEscapes()
  const dialect: Dialect = {
    ...detectDelimiter(head.toString('utf8')),
    lineBreaks: ['\r\n', '\n', '\r'],
    escape: found.escape || (found.escapedNull && areEscapes) ? '\\' : '"',
    quote: '"',
    nulls: found.quotedNull ? 'unquoted' : found.null || found.escapedNull ? 'any' : 'none',
  }
  const isTabbed = dialect.delimiter === '\t'
  const mysql: Dialect = { ...dialect, escape: '\\' }
  const literal: Dialect = {
    ...dialect,
    // MySQL escapes only LF, so that a cell may have a CR.
    lineBreaks: /^[^\r\n]*\r(?!\n)/.test(head.toString('latin1'))
      ? dialect.lineBreaks
      : ['\r\n', '\n'],
    escape: areEscapes ? '\\' : '"',
    quote: false,
  }
  if (isTabbed && !found.quote) return literal
  // At the end of a cell, only the rest of the file tells whether `\"` is an escaped quote.
  const mayBeMysql = mayBeEscaped && !found.escape
  if ((!isTabbed && !mayBeMysql) || (await isStrictCsv(open, dialect))) return dialect
  if (mayBeMysql && (await isStrictCsv(open, mysql))) return mysql
  return isTabbed ? literal : dialect
}

/** Returns the options of the parser for a dialect. */
export function toParserOptions({
  delimiter,
  hasSeparatorLine,
  lineBreaks,
  ...quoting
}: Dialect): Options {
  return {
    bom: true,
    delimiter,
    escape: quoting.escape,
    quote: quoting.quote,
    record_delimiter: [...lineBreaks],
    // A quote may follow a blank after the delimiter.
    ltrim: delimiter !== '\t',
    relax_column_count: true,
    ...(hasSeparatorLine && { from_line: 2 }),
  }
}

/** Returns whether all quotes of a file are at the start and end of cells, or escaped. */
export async function isStrictCsv(open: OpenText, dialect: Dialect): Promise<boolean> {
  const parser = parse({ ...toParserOptions(dialect), on_record: () => null })
  parser.resume()
  try {
    await pipeline(Readable.from(splitChunks(open(), dialect)), parser)
    return true
  } catch (error) {
    if (error instanceof CsvError) return false
    throw error
  }
}

/** The number of bytes parsed at a time. The parser is synchronous, so parts are small. */
const PART_BYTES = 65_536

/** Yields the chunks of a file as the parser of a dialect reads them. */
export async function* splitChunks(
  chunks: AsyncIterable<Buffer>,
  dialect: Dialect,
): AsyncGenerator<Buffer, void> {
  const prepared =
    dialect.escape === '\\' ? prepareEscapes(chunks, { isQuoted: dialect.quote !== false }) : chunks
  for await (const chunk of prepared) {
    for (let start = 0; start < chunk.length; start += PART_BYTES) {
      yield chunk.subarray(start, start + PART_BYTES)
    }
  }
}

const LF = 10
const CR = 13
const QUOTE = 34
const CELL_ENDS = new Set([LF, CR, QUOTE, ...DELIMITERS.map((each) => each.charCodeAt(0))])

/**
 * Returns whether there is a `\"` inside of a cell. At the end of a cell, or before another quote,
 * the backslash may be text.
 */
function hasEscapedQuote(bytes: Buffer): boolean {
  for (let at = bytes.indexOf('\\"'); at >= 0; at = bytes.indexOf('\\"', at + 2)) {
    const next = bytes[at + 2]
    if (next !== undefined && !CELL_ENDS.has(next)) return true
  }
  return false
}

/** Returns whether there is a cell `\N` without quotes. The text `C:\New` has none. */
function hasNullCell(bytes: Buffer): boolean {
  for (let at = bytes.indexOf('\\N'); at >= 0; at = bytes.indexOf('\\N', at + 2)) {
    const [before = 0, after = LF] = [bytes[at - 1], bytes[at + 2]]
    if (before !== QUOTE && CELL_ENDS.has(before) && CELL_ENDS.has(after)) return true
  }
  return false
}

/**
 * Returns the delimiter that the first line names, or that splits it into the most columns. Ignores
 * quoted text.
 */
function detectDelimiter(head: string): Pick<Dialect, 'delimiter' | 'hasSeparatorLine'> {
  const [, named] = /^\ufeff?"?sep=([^"\r\n])"?(?:[\r\n]|$)/i.exec(head) ?? []
  if (named) return { delimiter: named, hasSeparatorLine: true }
  const line = (/^[^\r\n]*/.exec(head)?.[0] ?? '').replaceAll(/"[^"]*"/g, '')
  const counts = DELIMITERS.map((delimiter) => line.split(delimiter).length)
  const delimiter = DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
  return { delimiter, hasSeparatorLine: false }
}

const BACKSLASH = '\\'.charCodeAt(0)
/** What is written after a backslash for a character that would otherwise end a cell or a row. */
const LETTERS: readonly (readonly [lineBreak: string, letter: string])[] = [
  ['\n', 'n'],
  ['\t', 't'],
  ['\r', 'r'],
]
const TO_LETTER = new Map(LETTERS.map(([each, letter]) => [toByte(each), toByte(letter)]))
const FROM_LETTER = new Map(LETTERS.map(([each, letter]) => [toByte(letter), toByte(each)]))
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ...LETTERS.map(([each, letter]) => [letter, each] as const),
  ...[...'0bfvZ'].map((letter) => [letter, ' '] as const),
])
/** What follows each backslash of a file in which it is an escape. `\N` is NULL. */
const ESCAPABLE = new Set([...'"N', ..."\\'ntr0bfvZ\n\t"].map(toByte))
/** These do not prove it. */
const COMMON = new Set([...'"N'].map(toByte))

/** Returns a reader of consecutive chunks, which then tells whether backslashes are escapes. */
function createBackslashScan() {
  const findEscaped = createFinder()
  let hasEscape = false
  let hasText = false
  return {
    read(chunk: Buffer): void {
      for (const at of findEscaped(chunk)) {
        const next = chunk[at] ?? 0
        if (!ESCAPABLE.has(next)) hasText = true
        else if (!COMMON.has(next)) hasEscape = true
      }
    },
    areEscapes: (): boolean => hasEscape && !hasText,
  }
}

/**
 * Yields the chunks of a file with its escapes as the parser needs them. In quotes, it drops the
 * backslash and keeps what follows, so that is no longer a letter. Without quotes, it keeps both, but
 * would take a line break or tab for the end of the cell, so that becomes a letter for `resolveEscapes`.
 */
async function* prepareEscapes(
  chunks: AsyncIterable<Buffer>,
  { isQuoted }: { isQuoted: boolean },
): AsyncGenerator<Buffer, void> {
  const replacements = isQuoted ? FROM_LETTER : TO_LETTER
  const findEscaped = createFinder()
  for await (const chunk of chunks) {
    const copy = Buffer.from(chunk)
    for (const at of findEscaped(chunk)) {
      const byte = copy[at] ?? 0
      copy[at] = replacements.get(byte) ?? byte
    }
    yield copy
  }
}

/** Returns the text of a cell without quotes in which backslashes are escapes. */
export function resolveEscapes(cell: string): string {
  return cell.replaceAll(/\\(.)/gs, (_, next: string) => MEANINGS.get(next) ?? next)
}

/**
 * Returns the function that returns the positions of the characters that a backslash escapes, in
 * each of consecutive chunks.
 */
function createFinder() {
  let isOpen = false
  return (chunk: Buffer): number[] => {
    const positions: number[] = []
    let at = isOpen ? -1 : chunk.indexOf(BACKSLASH)
    isOpen ||= at >= 0
    while (isOpen && at + 1 < chunk.length) {
      positions.push(at + 1)
      at = chunk.indexOf(BACKSLASH, at + 2)
      isOpen = at >= 0
    }
    return positions
  }
}

function toByte(character: string): number {
  return character.charCodeAt(0)
}
