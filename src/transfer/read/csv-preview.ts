import { SourceError } from '../record.ts'
import { requireColumns } from './csv.ts'
import { cleanCell } from './csv-cells.ts'
import { detectMapping, type Mapping } from './csv-columns.ts'
import { readRecords } from './csv-records.ts'

/** The columns of a CSV file: their names, a sample value of each, and the detected fields. */
export type CsvPreview = {
  columns: readonly { name: string; sample: string }[]
  detected: Mapping
}

/** The number of rows that are searched for sample values. */
const MAX_ROWS = 50
const MAX_TEXT_LENGTH = 100

/**
 * Returns the columns of a CSV file, or undefined if the beginning of the file is not CSV in UTF-8.
 */
export async function previewCsv(chunks: AsyncIterable<Buffer>): Promise<CsvPreview | undefined> {
  let header: readonly string[] | undefined
  const samples: string[] = []
  try {
    for await (const { row, cells } of readRecords(requireUtf8(chunks))) {
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

/** Yields the chunks if they are valid UTF-8. @throws SourceError if they are not */
async function* requireUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const chunk of chunks) {
    try {
      if (chunk.includes(0)) throw new TypeError()
      decoder.decode(chunk, { stream: true })
    } catch {
      throw new SourceError('The file is not text in UTF-8.')
    }
    yield chunk
  }
}
