import { stringify } from 'csv-stringify/sync'

/**
 * Formats a line of CSV (RFC 4180). Cells that a spreadsheet would run as formulas are prefixed
 * with an apostrophe, which imports remove.
 */
export function formatCsvRow(cells: readonly string[]): string {
  return stringify([[...cells]], { record_delimiter: 'windows', escape_formulas: true })
}
