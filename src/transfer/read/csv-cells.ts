import { formatSubject, type Subject } from '../../errors.ts'
import type { ColumnField, Mapping } from './csv-columns.ts'

/**
 * The columns of a file: their names, the position of each field, and the positions of columns
 * whose restrictions cannot be imported.
 */
export type Columns = {
  header: readonly string[]
  positions: ReadonlyMap<ColumnField, number>
  restrictions: readonly number[]
}

export function toColumns(header: readonly string[], mapping: Mapping): Columns {
  const positions = new Map<ColumnField, number>()
  const restrictions: number[] = []
  for (const [index, field] of mapping.entries()) {
    if (field === 'restriction') restrictions.push(index)
    else if (field) positions.set(field, index)
  }
  return { header, positions, restrictions }
}

/** Returns the names of the columns that are ignored. */
export function listUnusedColumns({ header, positions, restrictions }: Columns): string[] {
  const used = new Set([...positions.values(), ...restrictions])
  return header.map((name) => name.trim()).filter((name, index) => name && !used.has(index))
}

/** Returns the positions of the columns without a name that have text in a row, such as `Column 3`. */
export function listUnnamedTexts(columns: Columns, cells: readonly string[]): string[] {
  const used = new Set([...columns.positions.values(), ...columns.restrictions])
  return columns.header.flatMap((name, index) =>
    name.trim() === '' && !used.has(index) && cells[index]?.trim()
      ? formatSubject(index + 1, 'en')
      : [],
  )
}

/** Returns the text of a field. Returns undefined if it is empty or the file has no such column. */
export function getCell(
  { positions }: Columns,
  cells: readonly string[],
  field: ColumnField,
): string | undefined {
  const index = positions.get(field)
  return index === undefined ? undefined : cleanCell(cells[index] ?? '') || undefined
}

/**
 * Trims a cell and removes the apostrophe that prevents spreadsheets from reading it as a formula.
 */
export function cleanCell(cell: string): string {
  const text = cell.trim()
  return hasFormulaPrefix(text) ? text.slice(1) : text
}

/** Returns whether a text begins with an apostrophe that prevents a formula. */
export function hasFormulaPrefix(text: string): boolean {
  return /^'+[=+\-@\t\r＝＋－＠]/.test(text)
}

const MAX_NAME_LENGTH = 60

/**
 * Returns the path of a link's field, such as `url` or `rules[0].to`, starting with the name of its
 * column in the file.
 */
export function nameField(columns: Columns, cells: readonly string[], path: string): Subject {
  const [field = ''] = /^\w*/.exec(path) ?? []
  const hasCell = (each: ColumnField) => getCell(columns, cells, each) !== undefined
  const source = findSourceColumn(field, columns, hasCell)
  const index = source && columns.positions.get(source)
  if (index === undefined) return path
  const name = nameColumn(columns, index)
  return field === 'deviceTargets' || field === 'geoTargets' || typeof name === 'number'
    ? name
    : name + path.slice(field.length)
}

/** Returns the name of a column in quotes, or its position if it has none. */
export function nameColumn({ header }: Columns, index: number): Subject {
  const name = header[index]?.replaceAll(/\s+/g, ' ').trim()
  return name ? `"${name.slice(0, MAX_NAME_LENGTH).toWellFormed()}"` : index + 1
}

/** Returns the column from which a field of the link was read. */
function findSourceColumn(
  field: string,
  { positions }: Columns,
  hasCell: (field: ColumnField) => boolean,
): ColumnField | undefined {
  switch (field) {
    case 'alias': {
      const sources = ['alias', 'customUrl', 'shortUrl'] as const
      return sources.find(hasCell) ?? sources.find((each) => positions.has(each))
    }
    case 'domain':
      return hasCell('domain')
        ? 'domain'
        : (['customUrl', 'shortUrl', 'alias'] as const).find(hasCell)
    case 'deviceTargets':
      return (['iphone', 'ios', 'android'] as const).find(hasCell)
    case 'geoTargets':
      return 'geo'
    case 'usedClicks':
      return positions.has('usedClicks') ? 'usedClicks' : 'clicks'
    default:
      return field as ColumnField
  }
}
