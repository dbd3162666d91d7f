import { formatProblem, type Problem } from '../../errors.ts'
import { formatNotice } from '../notices.ts'
import { formatCsvHeader, formatCsvRow } from './csv-line.ts'

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
