import { sql } from 'kysely'
import { own } from '../../db/account-rows.ts'
import type { Db } from '../../db/pool.ts'
import type { AccountScope } from '../../scope.ts'
import type { Period } from './period.ts'
import type { DayRow } from './period-sums.ts'

const EPOCH = sql<Date>`date '1970-01-01'`

/**
 * Returns the stored days of an account in a period, with hours if the interval is hours. Without
 * `labels`, much less data is read.
 */
export function readDaysOfAccount(
  scope: AccountScope,
  { from, to, interval }: Period,
  { labels = true }: { labels?: boolean } = {},
): Promise<(DayRow & { links: Buffer })[]> {
  return own(scope)
    .selectFrom('account_days')
    .select([dayNumber(), 'clicks', 'visitors', 'links'])
    .$if(labels, (query) => query.select('labels'))
    .$if(interval === 'hour', (query) => query.select('hours'))
    .where('day', '>=', toDate(from))
    .where('day', '<=', toDate(to))
    .execute()
}

/**
 * Returns the stored days of links, one row per link and day. Without `labels`, much less data is
 * read.
 */
export function readDaysOfLinks(
  db: Db,
  linkIds: readonly number[],
  { from, to, interval }: Period,
  { labels = true }: { labels?: boolean } = {},
): Promise<(DayRow & { link_id: number })[]> {
  return db
    .selectFrom('click_days')
    .select(['link_id', dayNumber(), 'clicks', 'visitors'])
    .$if(labels, (query) => query.select('labels'))
    .$if(interval === 'hour', (query) => query.select('hours'))
    .where('link_id', '=', sql<number>`any(${[...linkIds]}::bigint[])`)
    .where('day', '>=', toDate(from))
    .where('day', '<=', toDate(to))
    .execute()
}

/** Imported clicks, with their first and last day since 1970. */
export type ImportedClicks = { clicks: number; from: number; to: number }

/** Returns the imported clicks of all these links, or undefined if there are none. */
export async function readClicksOfImports(
  db: Db,
  linkIds: readonly number[],
): Promise<ImportedClicks | undefined> {
  const row = await db
    .selectFrom('click_imports')
    .select([
      sql<number>`sum(clicks)::float8`.as('clicks'),
      sql<number | null>`min(first_day) - ${EPOCH}`.as('from'),
      sql<number | null>`max(last_day) - ${EPOCH}`.as('to'),
    ])
    .where('link_id', '=', sql<number>`any(${[...linkIds]}::bigint[])`)
    .executeTakeFirst()
  if (!row || row.from === null || row.to === null) return undefined
  return { clicks: row.clicks, from: row.from, to: row.to }
}

/** Returns the first and last day with clicks on any of the links, or undefined. */
export async function findOutermostDays(
  db: Db,
  linkIds: readonly number[],
): Promise<{ first: number; last: number } | undefined> {
  const [firstId] = linkIds
  const row = await db
    .selectFrom('click_days')
    .select([
      sql<number | null>`min(day) - ${EPOCH}`.as('first'),
      sql<number | null>`max(day) - ${EPOCH}`.as('last'),
    ])
    // The first and last day of a link are read from the key, without scanning the days between
    // them.
    .where(
      'link_id',
      '=',
      linkIds.length === 1 && firstId !== undefined
        ? firstId
        : sql<number>`any(${[...linkIds]}::bigint[])`,
    )
    .executeTakeFirst()
  if (!row || row.first === null || row.last === null) return undefined
  return { first: row.first, last: row.last }
}

/** Returns the first and last day with clicks of an account, or undefined. */
export async function findOutermostAccountDays(
  scope: AccountScope,
): Promise<{ first: number; last: number } | undefined> {
  const row = await own(scope)
    .selectFrom('account_days')
    .select([
      sql<number | null>`min(day) - ${EPOCH}`.as('first'),
      sql<number | null>`max(day) - ${EPOCH}`.as('last'),
    ])
    .executeTakeFirst()
  if (!row || row.first === null || row.last === null) return undefined
  return { first: row.first, last: row.last }
}

/** Returns the clicks of links in a period. Omits links without clicks. */
export function readClicksOfLinks(
  db: Db,
  linkIds: readonly number[],
  { from, to }: Period,
): Promise<{ link_id: number; clicks: number }[]> {
  return db
    .selectFrom('click_days')
    .select(['link_id', ({ fn }) => fn.sum<string>('clicks').as('clicks')])
    .where('link_id', '=', sql<number>`any(${[...linkIds]}::bigint[])`)
    .where('day', '>=', toDate(from))
    .where('day', '<=', toDate(to))
    .groupBy('link_id')
    .execute()
    .then((rows) => rows.map(({ link_id, clicks }) => ({ link_id, clicks: Number(clicks) })))
}

/** Returns the clicks of links by link and day. Omits days without clicks. */
export function readClicksByDay(
  db: Db,
  linkIds: readonly number[],
  { from, to }: Pick<Period, 'from' | 'to'>,
): Promise<{ link_id: number; day: number; clicks: number }[]> {
  return db
    .selectFrom('click_days')
    .select(['link_id', dayNumber(), 'clicks'])
    .where('link_id', '=', sql<number>`any(${[...linkIds]}::bigint[])`)
    .where('day', '>=', toDate(from))
    .where('day', '<=', toDate(to))
    .execute()
}

/** Returns the numbers of labels by name. Omits labels without a number. */
export async function findLabels(
  db: Db,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map()
  const rows = await db
    .selectFrom('labels')
    .select(['id', 'name'])
    .where('name', '=', sql<string>`any(${names}::text[])`)
    .execute()
  return new Map(rows.map(({ id, name }) => [name, id]))
}

/** Returns the names of labels by number. */
export async function readLabelNames(
  db: Db,
  labels: Iterable<number>,
): Promise<ReadonlyMap<number, string>> {
  const ids = [...labels]
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('labels')
    .select(['id', 'name'])
    .where('id', '=', sql<number>`any(${ids}::integer[])`)
    .execute()
  return new Map(rows.map(({ id, name }) => [id, name]))
}

function dayNumber() {
  return sql<number>`day - ${EPOCH}`.as('day')
}

function toDate(day: number) {
  return sql<string>`${EPOCH} + ${day}::integer`
}
