import { stringify } from 'csv-stringify/sync'

/**
 * One line of CSV (RFC 4180). What a spreadsheet would take for a formula gets an apostrophe in front,
 * which is taken off again where such a file is read.
 */
export function csvLine(cells: readonly string[]): string {
  return stringify([[...cells]], { record_delimiter: 'windows', escape_formulas: true })
}
