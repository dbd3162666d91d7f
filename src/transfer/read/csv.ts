import { Readable } from 'node:stream'
import { addScheme } from '../../urls/destination-url.ts'
import { type ReadLink, SourceError, type SourceRow } from '../record.ts'
import {
  type Columns,
  cleanCell,
  getCell,
  listUnnamedTexts,
  listUnusedColumns,
  nameField,
  toColumns,
} from './csv-cells.ts'
import {
  type ColumnField,
  detectMapping,
  findMappingProblem,
  type Mapping,
  NAME_FIELDS,
  toListMapping,
} from './csv-columns.ts'
import { detectDialect } from './csv-dialect.ts'
import { type CsvContext, toLinks } from './csv-fields.ts'
import type { IsKnownHost } from './csv-names.ts'
import { readRecords } from './csv-records.ts'
import { decodeText, type OpenText } from './decode-text.ts'
import { type DateOrder, findDateOrder } from './moment.ts'
import { readProblem } from './values.ts'

const MAX_COLUMNS = 1000

/** How a CSV file is read. */
export type CsvOptions = {
  /** The fields of the columns. Detected by their names if undefined. */
  mapping?: Mapping | undefined
  /** The names of columns to ignore. */
  ignored?: readonly string[] | undefined
  /** The order of day and month where no date of a column says it. */
  dates?: DateOrder | undefined
  isKnownHost?: IsKnownHost | undefined
  /** Whether the file is a list of destinations, whose links get random aliases. */
  isList?: boolean
}

/**
 * Yields the links of a CSV file. The first record contains the column names. If there is no
 * mapping, fields are detected by these names.
 *
 * @throws SourceError if there is no column for the destination or the alias, or if the file is
 * incomplete
 */
export async function* readCsv(
  open: OpenText,
  { mapping, ignored, dates, isKnownHost = () => false, isList = false }: CsvOptions = {},
): AsyncGenerator<SourceRow> {
  const dialect = await detectDialect(open)
  let context: CsvContext | undefined
  let unused: readonly string[] = []
  let hasUnnamed = false
  let orders: ReadonlyMap<ColumnField, DateOrder> | undefined
  for await (const { row, cells } of readRecords(open, dialect, { isCounted: true })) {
    if (context === undefined) {
      const detected = mapping ?? detectMapping(cells, findIgnored(cells, ignored))
      const columns = readHeader(cells, isList ? toListMapping(cells, detected) : detected, isList)
      unused = listUnusedColumns(columns)
      hasUnnamed = cells.some((cell) => cell.trim() === '')
      context = {
        columns,
        isKnownHost,
        isList,
        width: 0,
        getDateOrder: (field) => orders?.get(field) ?? dates,
      }
      continue
    }
    if (!orders && hasAmbiguousDate(context.columns, cells)) {
      orders = await detectDateOrders(readRecords(open, dialect), context.columns)
    }
    context.width ||= cells.length
    const size = cells.reduce((sum, cell) => sum + cell.length, 0)
    const { columns } = context
    const name = (field: string) => nameField(columns, cells, field)
    const rowUnused = hasUnnamed ? [...unused, ...listUnnamedTexts(columns, cells)] : unused
    for (const link of readRow(context, cells))
      yield { row, size, unused: rowUnused, nameField: name, ...link }
  }
  if (context === undefined) throw new SourceError('empty_file')
}

/** Throws SourceError if there are too many columns. */
function requireColumns(cells: readonly string[]): void {
  if (cells.length <= MAX_COLUMNS) return
  throw new SourceError('columns_too_many', { n: cells.length })
}

/** Returns the positions of ignored columns. @throws SourceError if there is no such column */
function findIgnored(
  cells: readonly string[],
  ignored: readonly string[] = [],
): ReadonlySet<number> {
  const names = cells.map((cell) => cell.trim().toLowerCase())
  for (const name of ignored) {
    if (!names.includes(name.trim().toLowerCase())) {
      throw new SourceError('column_unknown', { name, columns: listNames(cells) })
    }
  }
  const wanted = new Set(ignored.map((name) => name.trim().toLowerCase()))
  return new Set(names.flatMap((name, index) => (wanted.has(name) ? index : [])))
}

const DATE_FIELDS: readonly ColumnField[] = ['createdAt', 'lastClickAt', 'startsAt', 'expiresAt']

function hasAmbiguousDate(columns: Columns, cells: readonly string[]): boolean {
  return DATE_FIELDS.some((field) => {
    const text = getCell(columns, cells, field)
    return text !== undefined && findDateOrder(text) === 'ambiguous'
  })
}

/**
 * Returns the order of day and month in each column that has a date with a day above 12. Leaves out
 * columns in which both orders occur.
 */
async function detectDateOrders(
  records: AsyncIterable<{ row: number; cells: string[] }>,
  columns: Columns,
): Promise<ReadonlyMap<ColumnField, DateOrder>> {
  const found = new Map<ColumnField, Set<DateOrder>>(DATE_FIELDS.map((field) => [field, new Set()]))
  for await (const { cells } of records) {
    for (const [field, own] of found) {
      const order = findDateOrder(getCell(columns, cells, field) ?? '')
      if (order && order !== 'ambiguous') own.add(order)
    }
  }
  return new Map(
    [...found].flatMap(([field, [first, second]]) => (first && !second ? [[field, first]] : [])),
  )
}

function readHeader(cells: readonly string[], mapping: Mapping, isList: boolean): Columns {
  requireColumns(cells)
  const problem = findMappingProblem(mapping, isList)
  if (problem?.kind === 'repeated') {
    throw new SourceError('columns_repeated', { field: problem.field })
  }
  if (problem && cells.some((cell) => cell.includes('://') || isBareUrl(cell))) {
    throw new SourceError('first_line_url')
  }
  if (problem?.field === 'url') {
    throw new SourceError('no_destination_column', { columns: listNames(cells) })
  }
  if (problem) {
    throw new SourceError('no_alias_column', { columns: listNames(cells) })
  }
  return toColumns(cells, mapping)
}

/** Returns whether a cell is a URL without a scheme, such as `example.com/page`. */
function isBareUrl(cell: string): boolean {
  return !/\s/.test(cell.trim()) && addScheme(cell) !== cell.trim()
}

function listNames(cells: readonly string[]): string {
  const names = cells.slice(0, 20).map((cell) => cell.trim().slice(0, 40))
  return names.join(', ')
}

function readRow(context: CsvContext, cells: readonly string[]): ReadLink[] {
  try {
    return toLinks(context, cells)
  } catch (error) {
    const fields = context.isList ? (['url'] as const) : NAME_FIELDS
    const alias = fields.map((field) => getCell(context.columns, cells, field)).find(Boolean)
    return [{ problem: readProblem(error), ...(alias !== undefined && { alias }) }]
  }
}

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
