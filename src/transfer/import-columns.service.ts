import { unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import { AppError } from '../errors.ts'
import type { AccountScope } from '../scope.ts'
import { findImport, type ImportRow } from './progress.queries.ts'
import { changeOptions } from './queue.queries.ts'
import { type CsvPreview, previewCsv } from './read/csv.ts'
import {
  findMappingProblem,
  formatMapping,
  type Mapping,
  type MappingProblem,
  parseMapping,
} from './read/csv-columns.ts'
import type { DateOrder } from './read/moment.ts'
import { readParts } from './upload.queries.ts'

/** The columns, their fields, and the order of day and month, which may be empty. */
export type ImportColumns = Pick<CsvPreview, 'columns'> & { mapping: Mapping; dates: string }

/**
 * Returns the columns of an import and the fields to which they are mapped. Returns undefined if it
 * is not a CSV file, cannot be read, or has already been imported.
 */
export async function getImportColumns(
  db: Db,
  { id, source, options, state, dryRun, background }: ImportRow,
): Promise<ImportColumns | undefined> {
  const isOpen = background && dryRun && state !== 'uploading' && state !== 'cancelled'
  if (source !== 'csv' || !isOpen) return undefined
  const preview = await previewCsv(readParts(db, id))
  if (!preview) return undefined
  const { columns, detected } = preview
  return {
    columns,
    mapping: parseMapping(options.columns) ?? detected,
    dates: options.dates ?? '',
  }
}

/**
 * Changes the fields to which columns are mapped, by position, and the order of day and month, and
 * checks the file again. Other
 * columns keep their mapping. If the mapping would be invalid, changes nothing and returns the
 * problem.
 *
 * @throws AppError `not_found` if there is no such import, or if it has already started
 */
export async function changeImportColumns(
  scope: AccountScope,
  id: number,
  changes: ReadonlyMap<number, Mapping[number]>,
  dates: DateOrder | '',
): Promise<{ problem: MappingProblem; columns: ImportColumns } | undefined> {
  const importRow = await findImport(scope, id)
  const columns = importRow && (await getImportColumns(unscoped(scope), importRow))
  if (!columns) throw new AppError('not_found')
  const mapping = columns.mapping.map((field, index) =>
    changes.has(index) ? changes.get(index) : field,
  )
  const problem = findMappingProblem(mapping)
  if (problem) return { problem, columns: { ...columns, mapping, dates } }
  if (!(await changeOptions(scope, id, { columns: formatMapping(mapping), dates }))) {
    throw new AppError('not_found')
  }
  return undefined
}
