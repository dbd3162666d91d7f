import type { Context } from '../context.ts'
import { AppError, formatProblem } from '../errors.ts'
import type { Scope } from '../scope.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import { findDomainOrigins } from './export.queries.ts'
import type { RowProblem } from './progress.ts'
import { readShortenedLinks } from './shortened.queries.ts'
import { getImport, readProblems } from './transfer.service.ts'
import { formatCsvHeader, formatCsvRow } from './write/csv.ts'

/** A row of a list of destinations, with its short URL or the reason why there is none. */
export type ShortenedRow = { row: number; url: string; shortUrl?: string; problem?: string }

/**
 * Yields the rows of a list for which an import created links, in their order.
 *
 * @throws AppError `not_found` if the account has no such import of a list
 */
export async function* readShortened(
  scope: Scope<Context>,
  importId: number,
): AsyncGenerator<ShortenedRow, void> {
  const { source } = await getImport(scope, importId)
  if (source !== 'list') throw new AppError('not_found')
  const origins = await findDomainOrigins(scope)
  const problems = readProblems(scope, importId, false)
  let problem = await problems.next()
  for await (const { row, url, alias, host } of readShortenedLinks(scope, importId)) {
    while (!problem.done && problem.value.row < row) {
      yield toRejectedRow(problem.value)
      problem = await problems.next()
    }
    const origin = (host && origins.get(host)) || scope.config.baseUrl
    yield { row, url, shortUrl: shortUrlOf(origin, alias) }
  }
  for (; !problem.done; problem = await problems.next()) yield toRejectedRow(problem.value)
}

function toRejectedRow({ row, alias, problem }: RowProblem): ShortenedRow {
  return { row, url: alias, problem: formatProblem(problem, 'en') }
}

/** Yields the rows of a list as CSV. Throws like `readShortened`. */
export async function* generateShortenedCsv(
  rows: AsyncIterable<ShortenedRow>,
): AsyncGenerator<string, void> {
  let text = formatCsvHeader(['Row', 'Long URL', 'Short URL', 'Error'])
  for await (const { row, url, shortUrl = '', problem = '' } of rows) {
    text += formatCsvRow([String(row), url, shortUrl, problem])
    if (text.length < CHUNK_LENGTH) continue
    yield text
    text = ''
  }
  yield text
}

const CHUNK_LENGTH = 64 * 1024
