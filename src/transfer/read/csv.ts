import { type LinkRecord, SourceError, type SourceRow } from '../record.ts'
import { type Columns, listUnusedColumns, nameField, toColumns } from './csv-cells.ts'
import { detectMapping, findMappingProblem, type Mapping } from './csv-columns.ts'
import { toRecord } from './csv-fields.ts'
import { readRecords } from './csv-records.ts'

const MAX_COLUMNS = 1000

/**
 * Yields the links of a CSV file. The first record contains the column names. If there is no
 * mapping, fields are detected by these names.
 *
 * @throws SourceError if there is no column for the destination or the alias, or if the file is
 * incomplete
 */
export async function* readCsv(
  chunks: AsyncIterable<Buffer>,
  mapping?: Mapping,
): AsyncGenerator<SourceRow> {
  let columns: Columns | undefined
  let unused: readonly string[] = []
  for await (const { row, cells } of readRecords(chunks)) {
    if (columns === undefined) {
      columns = readHeader(cells, mapping)
      unused = listUnusedColumns(columns)
      continue
    }
    const size = cells.reduce((sum, cell) => sum + cell.length, 0)
    yield { row, size, unused, ...readRow(columns, cells) }
  }
  if (columns === undefined) throw new SourceError('The file is empty.')
}

/** Throws SourceError if there are too many columns. */
export function requireColumns(cells: readonly string[]): void {
  if (cells.length <= MAX_COLUMNS) return
  throw new SourceError(`The first line names ${cells.length} columns; is it a CSV file?`)
}

function readHeader(cells: readonly string[], mapping = detectMapping(cells)): Columns {
  requireColumns(cells)
  const problem = findMappingProblem(mapping)
  if (problem?.kind === 'repeated') {
    throw new SourceError(`Several columns are imported as ${problem.field}.`)
  }
  if (problem?.field === 'url') {
    throw createMissingColumnError(
      'the destination URL, such as "Long URL" or "Destination URL"',
      cells,
    )
  }
  if (problem)
    throw createMissingColumnError(
      'the alias or the short URL, such as "Alias" or "Short link"',
      cells,
    )
  return toColumns(cells, mapping)
}

function createMissingColumnError(content: string, cells: readonly string[]): SourceError {
  const names = cells.slice(0, 20).map((cell) => cell.trim().slice(0, 40))
  return new SourceError(`No column contains ${content}. The columns are: ${names.join(', ')}.`)
}

type Row = { nameField: (field: string) => string } & (
  | { record: LinkRecord }
  | { problem: string; alias?: string }
)

function readRow(columns: Columns, cells: readonly string[]): Row {
  const base = { nameField: (field: string) => nameField(columns, cells, field) }
  try {
    return { ...base, record: toRecord(columns, cells) }
  } catch (error) {
    return { ...base, problem: error instanceof Error ? error.message : String(error) }
  }
}
