import { sql } from 'kysely'
import { own, unscoped } from '../../db/account-rows.ts'
import type { Db } from '../../db/pool.ts'
import type { AccountScope } from '../../scope.ts'
import { unpackInto } from '../encoding/label-counts.ts'
import type { Period } from './period.ts'
import { createPeriodSums, type PeriodSums } from './period-sums.ts'
import {
  findOutermostAccountDays,
  findOutermostDays,
  type ImportedClicks,
  readClicksByDay,
  readClicksOfImports,
  readClicksOfLinks,
  readDaysOfAccount,
  readDaysOfLinks,
} from './periods.queries.ts'
import type { PeriodStatistics } from './present.ts'
import type { ClickScope } from './scope.ts'

/** Links looked up by one statement. */
const LINKS_PER_STATEMENT = 500

/** The counts of a period without its labels. */
type Counts = Pick<PeriodStatistics, 'clicks' | 'newVisitors' | 'timeline'>

export type LinkClicks = { linkId: number; clicks: number }

/** The number of links whose days one statement reads. */
const LINK_BATCH = 500
/**
 * The number of candidates per requested link, if an account has too many links to consider all of
 * them.
 */
const CANDIDATES_PER_LINK = 4
const MIN_CANDIDATES = 500

/** Reads the clicks and new visitors of an account in a period, and its most clicked links. */
export async function readAccountCounts(
  scope: AccountScope,
  period: Period,
  limit: number,
): Promise<Counts & { links: LinkClicks[] }> {
  const { sums, candidates } = await readAccountDays(scope, period, { labels: false })
  const candidateIds = limit === 0 ? [] : await selectListedCandidates(scope, candidates, limit)
  const links =
    limit === 0 ? [] : await readMostClicked(unscoped(scope), candidateIds, period, limit)
  return { ...sums.totals, timeline: sums.timeline, links }
}

/**
 * Returns the number of clicks that an account's links and QR codes have received, including
 * deleted links and codes.
 */
export async function countClicksOfAccount(scope: AccountScope): Promise<number> {
  const row = await own(scope)
    .selectFrom('account_days')
    .select(({ fn }) => fn.sum<string | null>('clicks').as('clicks'))
    .executeTakeFirst()
  return Number(row?.clicks)
}

/** Returns the first and the last day with clicks, or undefined if there are no clicks. */
export async function readClickedDays(
  db: Db,
  { accountId, linkIds }: ClickScope,
): Promise<{ first: number; last: number } | undefined> {
  if (!linkIds) return findOutermostAccountDays({ db, accountId })
  let days: { first: number; last: number } | undefined
  for (const chunk of splitIntoChunks(linkIds)) {
    const found = await findOutermostDays(db, chunk)
    if (!found) continue
    days = {
      first: Math.min(found.first, days?.first ?? found.first),
      last: Math.max(found.last, days?.last ?? found.last),
    }
  }
  return days
}

/**
 * Returns the number of imported clicks of the links and their first and last day, or undefined if
 * there are none.
 */
export async function readImportedClicks(
  db: Db,
  linkIds: readonly number[],
): Promise<ImportedClicks | undefined> {
  let all: ImportedClicks | undefined
  for (const chunk of splitIntoChunks(linkIds)) {
    const found = await readClicksOfImports(db, chunk)
    if (!found) continue
    all = {
      clicks: found.clicks + (all?.clicks ?? 0),
      from: Math.min(found.from, all?.from ?? found.from),
      to: Math.max(found.to, all?.to ?? found.to),
    }
  }
  return all
}

/** Returns the most clicked links in a period. Omits links without clicks. */
async function readMostClicked(
  db: Db,
  linkIds: readonly number[],
  period: Period,
  limit: number,
): Promise<LinkClicks[]> {
  const found: LinkClicks[] = []
  for (const chunk of splitIntoChunks(linkIds)) {
    const rows = await readClicksOfLinks(db, chunk, period)
    found.push(...rows.map(({ link_id, clicks }) => ({ linkId: link_id, clicks })))
  }
  return found.sort((a, b) => b.clicks - a.clicks || b.linkId - a.linkId).slice(0, limit)
}

/** Returns the clicks on each day of a period for each link, as lists with one number per day. */
export async function readDailyClicks(
  db: Db,
  linkIds: readonly number[],
  { from, to }: Pick<Period, 'from' | 'to'>,
): Promise<ReadonlyMap<number, number[]>> {
  const days = new Map(linkIds.map((id) => [id, Array<number>(to - from + 1).fill(0)]))
  const rows = linkIds.length > 0 ? await readClicksByDay(db, linkIds, { from, to }) : []
  for (const { link_id, day, clicks } of rows) {
    const clicksOfLink = days.get(link_id)
    if (clicksOfLink) clicksOfLink[day - from] = clicks
  }
  return days
}

/** Adds up the days of links in a period. */
export async function readPeriodSums(
  db: Db,
  linkIds: readonly number[],
  period: Period,
  options: { labels?: boolean } = {},
): Promise<PeriodSums> {
  const sums = createPeriodSums(period)
  for (const chunk of splitIntoChunks(linkIds)) {
    for (const row of await readDaysOfLinks(db, chunk, period, options)) sums.add(row)
  }
  return sums
}

/**
 * Adds up the days of an account in a period, including links and codes that have been deleted
 * since. The candidates for the most clicked links are complete if no day has more than a few
 * hundred links.
 */
export async function readAccountDays(
  scope: AccountScope,
  period: Period,
  options?: { labels: boolean },
): Promise<{ sums: PeriodSums; candidates: ReadonlyMap<number, number> }> {
  const sums = createPeriodSums(period)
  const candidates = new Map<number, number>()
  for (const row of await readDaysOfAccount(scope, period, options)) {
    sums.add(row)
    unpackInto(row.links, candidates)
  }
  return { sums, candidates }
}

/**
 * Returns the most clicked of an account's candidates that are listed links. Returns several times
 * `limit` of them, because `candidates` may lack clicks.
 */
export function selectListedCandidates(
  scope: AccountScope,
  candidates: ReadonlyMap<number, number>,
  limit: number,
): Promise<number[]> {
  const ids = [...candidates].sort(([, a], [, b]) => b - a).map(([linkId]) => linkId)
  return selectListedLinks(scope, ids, Math.max(MIN_CANDIDATES, CANDIDATES_PER_LINK * limit))
}

/** Splits link ids into groups that one statement can read. */
export function* splitIntoChunks(ids: readonly number[]): Generator<readonly number[]> {
  for (let start = 0; start < ids.length; start += LINK_BATCH)
    yield ids.slice(start, start + LINK_BATCH)
}

/**
 * Returns the first `limit` of these ids that belong to listed links of the account. Links behind
 * QR codes and buttons of bio pages are not listed, nor are deleted ones.
 */
export async function selectListedLinks(
  scope: AccountScope,
  ids: readonly number[],
  limit: number,
): Promise<number[]> {
  const found: number[] = []
  for (let start = 0; start < ids.length && found.length < limit; start += LINKS_PER_STATEMENT) {
    const chunk = ids.slice(start, start + LINKS_PER_STATEMENT)
    const rows = await own(scope)
      .selectFrom('links')
      .select('id')
      .where('kind', '=', 'link')
      .where('id', '=', sql<number>`any(${chunk}::bigint[])`)
      .execute()
    const listed = new Set(rows.map(({ id }) => id))
    found.push(...chunk.filter((id) => listed.has(id)))
  }
  return found.slice(0, limit)
}
