import { type RawBuilder, sql } from 'kysely'
import { copyValue } from '../../db/copy-value.ts'
import type { Db } from '../../db/pool.ts'

/**
 * The owner of the raw clicks to read: links or an account. If neither is set, all raw clicks are
 * read.
 */
export type RawClickOwner = {
  linkIds?: readonly number[] | undefined
  accountId?: number | undefined
}

/** The days to read, each with its approximate number of clicks. */
export type RawClickDays = RawClickOwner & { clicksOfDay: ReadonlyMap<number, number> }

/** Days since 1970, both inclusive. */
type Days = { from: number; to: number }

/** The approximate number of clicks per statement, about six megabytes. */
const CLICKS_PER_STATEMENT = 250_000
/** Links per statement. */
const LINKS_PER_STATEMENT = 500

/**
 * Yields packed raw clicks (see `raw-clicks.ts`), a few days at a time. The number of clicks
 * determines how many days are read together.
 */
export async function* readRawClicks(
  db: Db,
  { linkIds, accountId, clicksOfDay }: RawClickDays,
): AsyncGenerator<Buffer, void> {
  for (const days of groupDays(clicksOfDay)) {
    for (const links of linkIds ? chunkIds(linkIds) : [undefined]) {
      yield await copyValue(
        db,
        sql`select string_agg(blocks, '') from clicks
          where ${ownedBy({ accountId, linkIds: links })}
            and day = any(${arrayLiteral(days)}::date[])`,
      )
    }
  }
}

/** Returns the number of raw clicks per day. Omits days without clicks. */
export async function countRawClicks(db: Db, { from, to }: Days): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('clicks')
    .select([
      sql<number>`day - date '1970-01-01'`.as('number'),
      sql<number>`sum(clicks)::float8`.as('clicks'),
    ])
    .where('day', '>=', dateOf(from))
    .where('day', '<=', dateOf(to))
    .groupBy('day')
    .orderBy('day')
    .execute()
  return new Map(rows.map(({ number, clicks }) => [number, clicks]))
}

/** Returns the condition with literals, because COPY does not support parameters. */
function ownedBy({ linkIds, accountId }: RawClickOwner): RawBuilder<boolean> {
  if (linkIds) return sql`link_id = any(${arrayLiteral(linkIds)}::bigint[])`
  return accountId === undefined ? sql`true` : sql`account_id = ${sql.lit(accountId)}`
}

function arrayLiteral(values: readonly (number | string)[]): RawBuilder<unknown> {
  return sql.lit(`{${values.join()}}`)
}

/** Splits days into groups by their number of clicks. A busy day forms a separate group. */
function* groupDays(clicksOfDay: ReadonlyMap<number, number>): Generator<string[], void> {
  let group: string[] = []
  let clicks = 0
  for (const [day, count] of [...clicksOfDay].sort(([a], [b]) => a - b)) {
    if (group.length > 0 && clicks + count > CLICKS_PER_STATEMENT) {
      yield group
      group = []
      clicks = 0
    }
    group.push(dateOf(day))
    clicks += count
  }
  if (group.length > 0) yield group
}

function* chunkIds(ids: readonly number[]): Generator<readonly number[], void> {
  for (let start = 0; start < ids.length; start += LINKS_PER_STATEMENT)
    yield ids.slice(start, start + LINKS_PER_STATEMENT)
}

function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10)
}
