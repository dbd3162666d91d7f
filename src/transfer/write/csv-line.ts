import { stringify } from 'csv-stringify/sync'

/**
 * Formats a line of CSV (RFC 4180). Cells that a spreadsheet would run as formulas are prefixed
 * with an apostrophe, which imports remove.
 */
export function formatCsvRow(cells: readonly string[]): string {
  return stringify([[...cells]], { record_delimiter: 'windows', escape_formulas: true })
}

/**
 * Formats the first line of a CSV file. It begins with a byte order mark, without which Excel
 * reads the file in another encoding than UTF-8.
 */
export function formatCsvHeader(names: readonly string[]): string {
  return stringify([[...names]], { record_delimiter: 'windows', bom: true })
}
