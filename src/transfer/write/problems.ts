import { csvLine } from './csv-line.ts'

/** Yields an import's notices and its skipped or rejected rows as CSV. */
export async function* reportAsCsv(
  notices: readonly string[],
  rows: AsyncIterable<{ row: number; alias: string; problem: string }>,
): AsyncGenerator<string> {
  yield csvLine(['Row', 'Alias', 'Problem'])
  for (const notice of notices) yield csvLine(['', '', notice])
  for await (const { row, alias, problem } of rows) yield csvLine([String(row), alias, problem])
}
