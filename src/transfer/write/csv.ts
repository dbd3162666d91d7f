import { stringify } from 'csv-stringify/sync'
import { formatProblem, type Problem } from '../../errors.ts'
import type { ExportedLink } from '../export.queries.ts'
import { fileFields } from '../file-fields.ts'
import { formatNotice } from '../progress.ts'
import { hasFormulaPrefix } from '../read/csv-cells.ts'

type Column = readonly [header: string, cellOf: (link: ExportedLink, shortUrl: string) => string]

const columns = new Map<string, Column[1]>([
  ['Short URL', (_link, shortUrl) => shortUrl],
  ['Alias', ({ alias }) => alias],
  ['Domain', ({ host }) => host ?? ''],
  ['Tags', ({ tags }) => formatTags(tags)],
  ['Created at', ({ createdAt }) => createdAt.toISOString()],
  ['Clicks', ({ clicks }) => String(clicks)],
  ['Used clicks', ({ usedClicks }) => (usedClicks > 0 ? String(usedClicks) : '')],
  ['Disabled', ({ status }) => String(status === 'disabled')],
  ['Archived', ({ archivedAt }) => (archivedAt ? 'true' : '')],
  // Only says that there is one, so that an import does not make the link public.
  ['Password', ({ password_hash: hash }) => (hash ? 'true' : '')],
  ...fileFields.flatMap(({ csv, toCell: cellOf }): Column[] =>
    csv?.header === undefined ? [] : [[csv.header, (link) => formatCell(cellOf(link))]],
  ),
])

/**
 * Columns whose position is fixed, because spreadsheets and scripts may rely on it. The other
 * columns follow.
 */
const FIXED_COLUMNS = [
  'Short URL',
  'Alias',
  'Domain',
  'Long URL',
  'Title',
  'Tags',
  'Created at',
  'Expires at',
  'Clicks',
  'Disabled',
  'Description',
  'Rules',
]
const LAST_COLUMNS = ['Archived', 'Password']
const headers = [
  ...new Set([...FIXED_COLUMNS, ...columns.keys()].filter((name) => !LAST_COLUMNS.includes(name))),
  ...LAST_COLUMNS,
]

/** The column names, which imports recognize. */
export const CSV_HEADER = formatCsvHeader(headers)

/** Formats a link as a line of CSV. Times are ISO 8601 in UTC. */
export function formatLinkAsCsv(link: ExportedLink, shortUrl: string): string {
  return formatCsvRow(headers.map((header) => columns.get(header)?.(link, shortUrl) ?? ''))
}

function formatCell(value: unknown): string {
  if (value === undefined) return ''
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Formats tags as a list, or as JSON if imports would split one of them. */
function formatTags(tags: readonly string[]): string {
  return tags.some((tag) => /[|;,"[\]{}]/.test(tag)) ? JSON.stringify(tags) : tags.join('|')
}

/**
 * Formats a line of CSV (RFC 4180). Cells that a spreadsheet would run as formulas are prefixed
 * with an apostrophe, which imports remove. Texts that databases write for empty cells are quoted.
 */
export function formatCsvRow(cells: readonly string[]): string {
  const escaped = cells.map((cell) => (hasFormulaPrefix(cell) ? `'${cell}` : cell))
  return stringify([escaped], {
    record_delimiter: 'windows',
    escape_formulas: true,
    quoted_match: /^(?:NULL|\\N)$/,
  })
}

/**
 * Formats the first line of a CSV file. It begins with a byte order mark, without which Excel
 * reads the file in another encoding than UTF-8.
 */
export function formatCsvHeader(names: readonly string[]): string {
  return stringify([[...names]], { record_delimiter: 'windows', bom: true })
}

/** Yields a report about an import as CSV: its notices, and its skipped or rejected rows. */
export async function* generateReportCsv(
  notices: readonly string[],
  rows: AsyncIterable<{ row: number; alias: string; problem: Problem; isNotice: boolean }>,
): AsyncGenerator<string> {
  yield formatCsvHeader(['Row', 'Alias', 'Problem'])
  for (const notice of notices) yield formatCsvRow(['', '', notice])
  for await (const { row, alias, problem, isNotice } of rows) {
    yield formatCsvRow([
      String(row),
      alias,
      isNotice ? formatNotice(problem) : formatProblem(problem, 'en'),
    ])
  }
}
