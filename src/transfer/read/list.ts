import { randomAlias } from '../../urls/alias.ts'
import { addScheme } from '../../urls/destination-url.ts'
import type { SourceRow } from '../record.ts'
import { type CsvOptions, readCsv } from './csv.ts'
import { type OpenText, readLines } from './decode-text.ts'

/** The maximum length of a line. The longest destination has 8,192 bytes. */
const MAX_LINE_BYTES = 32_768
/** URLs encode blanks and quotes, and hosts have no delimiters. */
const SEVERAL_CELLS = /[\s"]|^([a-z][a-z0-9+.-]*:\/\/)?[^/?#:]*[,;|]/i

/** Delimiters after the last cell. */
const EMPTY_CELLS = /[,;]+\s*$/

/**
 * Yields new links with random aliases for a list of destinations: one on each line, or a CSV file
 * with a column for the destination. Destinations without a scheme get `https://`.
 *
 * @throws SourceError if the file has several columns, and none is named as a destination
 */
export async function* readList(open: OpenText, options: CsvOptions): AsyncGenerator<SourceRow> {
  const rows = (await startsWithDestination(open()))
    ? readDestinations(open({ isCounted: true }))
    : readCsv(open, { ...options, isList: true })
  for await (const row of rows) {
    if (!('record' in row)) yield row
    else {
      const url = addScheme(row.record.url)
      yield { ...row, record: { ...row.record, url, alias: randomAlias() } }
    }
  }
}

/** Returns whether the first line that is not empty is a destination instead of column names. */
async function startsWithDestination(chunks: AsyncIterable<Buffer>): Promise<boolean> {
  for await (const { text } of readLines(toLineFeeds(chunks), MAX_LINE_BYTES)) {
    const first = unquote(text ?? '')
    if (first === '') continue
    return (
      /^[a-z][a-z0-9+.-]*:\S|:\/\//i.test(first) ||
      (!/[\s,;|]/.test(first) && addScheme(first) !== first)
    )
  }
  return false
}

async function* readDestinations(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceRow> {
  /** Whether delimiters follow the URLs, as in files of spreadsheets with empty columns. */
  let hasEmptyCells: boolean | undefined
  const lines = readLines(toLineFeeds(chunks), MAX_LINE_BYTES)
  for await (const { number: row, text, size } of lines) {
    const line = text?.trim() ?? ''
    if (line !== '') hasEmptyCells ??= EMPTY_CELLS.test(line)
    const url = unquote(hasEmptyCells ? line.replace(EMPTY_CELLS, '') : line)
    if (text === undefined) {
      yield {
        row,
        size,
        problem: { key: 'rowProblems.line_too_long', args: { max: MAX_LINE_BYTES } },
      }
    } else if (SEVERAL_CELLS.test(url)) {
      yield { row, size, problem: { key: 'rowProblems.line_not_url' }, alias: url }
    } else if (url !== '') yield { row, size, record: { alias: '', url } }
  }
}

/** Unicode's other line breaks, in UTF-8 as Latin-1: U+2028, U+2029, U+0085, U+000B and U+000C. */
const UNICODE_BREAK = /\xe2\x80[\xa8\xa9]|\xc2\x85|[\v\f]/g
/** The beginning of one at the end of a chunk. */
const CUT_BREAK = /(?:\xe2\x80?|\xc2)$/

/** Replaces Unicode's other line breaks, which no URL contains, such as those of pasted texts. */
async function* toLineFeeds(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = ''
  for await (const chunk of chunks) {
    const text = rest + chunk.toString('latin1')
    rest = CUT_BREAK.exec(text)?.[0] ?? ''
    const complete = text.slice(0, text.length - rest.length)
    yield Buffer.from(complete.replaceAll(UNICODE_BREAK, '\n'), 'latin1')
  }
  if (rest !== '') yield Buffer.from(rest, 'latin1')
}

function unquote(line: string): string {
  return line
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .trim()
}
