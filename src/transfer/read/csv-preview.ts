import { Readable } from 'node:stream'
import { SourceError } from '../record.ts'
import { requireColumns } from './csv.ts'
import { cleanCell } from './csv-cells.ts'
import { detectMapping, type Mapping } from './csv-columns.ts'
import { detectDialect } from './csv-dialect.ts'
import { readRecords } from './csv-records.ts'
import { decodeText } from './decode-text.ts'

/** The columns of a CSV file: their names, a sample value of each, and the detected fields. */
export type CsvPreview = {
  columns: readonly { name: string; sample: string }[]
  detected: Mapping
}

/** The number of rows that are searched for sample values. */
const MAX_ROWS = 50
const MAX_TEXT_LENGTH = 100
/** The number of bytes that contain the searched rows. The last one may be cut off. */
const HEAD_BYTES = 1024 * 1024

/**
 * Returns the columns of a CSV file, or undefined if the beginning of the file is not CSV.
 */
export async function previewCsv(chunks: AsyncIterable<Buffer>): Promise<CsvPreview | undefined> {
  let header: readonly string[] | undefined
  const samples: string[] = []
  try {
    const head = await readHead(decodeText(chunks))
    const open = () => Readable.from([head])
    for await (const { row, cells } of readRecords(open, await detectDialect(open))) {
      if (header === undefined) {
        requireColumns(cells)
        header = cells
        continue
      }
      for (const index of header.keys()) samples[index] ||= cleanCell(cells[index] ?? '')
      if (row > MAX_ROWS || header.every((_, index) => samples[index])) break
    }
  } catch (error) {
    if (!(error instanceof SourceError)) throw error
    if (samples.length === 0) return undefined
  }
  return (
    header && {
      columns: header.map((name, index) => ({
        name: shorten(name.trim()),
        sample: shorten(samples[index] ?? ''),
      })),
      detected: detectMapping(header),
    }
  )
}

function shorten(text: string): string {
  return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH).toWellFormed()} …` : text
}

/** Returns the beginning of a file. */
async function readHead(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const head: Buffer[] = []
  let size = 0
  for await (const chunk of chunks) {
    head.push(chunk)
    size += chunk.length
    if (size >= HEAD_BYTES) break
  }
  return Buffer.concat(head)
}
