import { stringify } from 'csv-stringify/sync'
import type { Db } from '../db/pool.ts'
import { readAnswers } from './overlay.service.ts'
import type { Answer } from './overlay.ts'

type FormatDate = (date: Date) => string

/**
 * Returns a generator of all responses to an overlay as lines of CSV, oldest first.
 *
 * @throws AppError `not_found`
 */
export async function generateAnswersCsv(
  db: Db,
  accountId: number,
  overlayId: number,
  formatDate: FormatDate,
): Promise<AsyncGenerator<string>> {
  const fields = await collectFieldNames(readAnswers(db, accountId, overlayId))
  return generateLines(readAnswers(db, accountId, overlayId), fields, formatDate)
}

/**
 * Returns the names of all fields in the responses. They form the header, so they are read first.
 */
async function collectFieldNames(answers: AsyncIterable<Answer>): Promise<string[]> {
  const names = new Set<string>()
  for await (const { answer } of answers) {
    for (const name of Object.keys(answer)) names.add(name)
  }
  return [...names]
}

async function* generateLines(
  answers: AsyncIterable<Answer>,
  fields: readonly string[],
  formatDate: FormatDate,
) {
  yield formatLine(['id', 'link', 'date', ...fields], { bom: true })
  for await (const { id, linkId, createdAt, answer } of answers) {
    yield formatLine([id, linkId, formatDate(createdAt), ...fields.map((name) => answer[name])])
  }
}

/**
 * Formats a line of CSV. Escapes visitors' texts that start with characters such as `=`, because a
 * spreadsheet would run them as formulas.
 */
function formatLine(cells: readonly unknown[], { bom = false } = {}): string {
  return stringify([[...cells]], { bom, escape_formulas: true })
}
