import type { Context } from '../context.ts'
import { own, unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import { AppError, formatProblem } from '../errors.ts'
import type { AccountScope, Scope } from '../scope.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import { findDomainOrigins } from './export.queries.ts'
import { ROW_DIGITS } from './import.queries.ts'
import type { RowProblem } from './progress.ts'
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

/** A link that was created for a row of a list. */
type ShortenedLink = { row: number; alias: string; host: string | null; url: string }

const PAGE_ROWS = 1000

/** Yields the links that an import created for a list, in the order of the rows. */
async function* readShortenedLinks(
  scope: AccountScope,
  importId: number,
): AsyncGenerator<ShortenedLink, void> {
  for (let after = ''; ; ) {
    const keys = await own(scope)
      .selectFrom('imported_links')
      .select(['alias', 'link_id'])
      .where('source', '=', 'list')
      .where('domain', '=', String(importId))
      .where('alias', '>', after)
      .orderBy('alias')
      .limit(PAGE_ROWS)
      .execute()
    const last = keys.at(-1)
    if (!last) return
    const links = await findLinks(
      unscoped(scope),
      keys.map(({ link_id: id }) => id),
    )
    for (const { alias: key, link_id: id } of keys) {
      const link = links.get(id)
      if (link) yield { row: Number(key.slice(0, ROW_DIGITS)), ...link }
    }
    after = last.alias
  }
}

async function findLinks(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Omit<ShortenedLink, 'row'>>> {
  const rows = await db
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select(['links.id', 'links.alias', 'links.url', 'domains.host'])
    .where('links.id', 'in', ids)
    .execute()
  return new Map(rows.map(({ id, alias, url, host }) => [id, { alias, url, host }]))
}
