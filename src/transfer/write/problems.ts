import { csvLine } from './csv-line.ts'

/** The rows that were not taken, as CSV. */
export async function* problemsAsCsv(
  rows: AsyncIterable<{ row: number; alias: string; problem: string }>,
): AsyncGenerator<string> {
  yield csvLine(['Row', 'Alias', 'Problem'])
  for await (const { row, alias, problem } of rows) yield csvLine([String(row), alias, problem])
}
