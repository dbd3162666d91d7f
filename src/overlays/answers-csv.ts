import { stringify } from 'csv-stringify/sync'
import type { Overlays } from './overlay.service.ts'
import type { Answer } from './overlay.ts'

type FormatDate = (date: Date) => string

/**
 * All answers to an overlay as CSV, oldest first, line by line.
 *
 * @throws AppError `not_found` before the first line
 */
export async function answersCsv(
  overlays: Overlays,
  accountId: number,
  overlayId: number,
  formatDate: FormatDate,
): Promise<AsyncGenerator<string>> {
  const fields = await fieldsOf(overlays.answers(accountId, overlayId))
  return lines(overlays.answers(accountId, overlayId), fields, formatDate)
}

/** The names of the fields that were ever sent. They stand in the first line, so they are read first. */
async function fieldsOf(answers: AsyncIterable<Answer>): Promise<string[]> {
  const names = new Set<string>()
  for await (const { answer } of answers) {
    for (const name of Object.keys(answer)) names.add(name)
  }
  return [...names]
}

async function* lines(
  answers: AsyncIterable<Answer>,
  fields: readonly string[],
  formatDate: FormatDate,
) {
  yield line(['id', 'link', 'date', ...fields])
  for await (const { id, linkId, createdAt, answer } of answers) {
    yield line([id, linkId, formatDate(createdAt), ...fields.map((name) => answer[name])])
  }
}

/** A spreadsheet would run a text that a visitor begins with = as a formula, so such texts are escaped. */
function line(cells: readonly unknown[]): string {
  return stringify([[...cells]], { escape_formulas: true })
}
