import { type RawBuilder, sql } from 'kysely'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'

/**
 * The owner of the raw clicks to read: links or an account. Without either, reads all raw clicks.
 */
export type RawClickOwner = { linkIds?: readonly number[]; accountId?: number }

/** Days since 1970, both included. */
type Days = { from: number; to: number }

/** Approximate clicks per statement, some six megabytes. */
const CLICKS = 250_000
/** Links per statement. */
const LINKS = 500

/**
 * Yields packed raw clicks (see `raw-clicks.ts`), a few days at a time. `clicksOfDay` maps the days
 * to read to their approximate number of clicks, which decides how many days are read together.
 */
export async function* readRawClicks(
  db: Db,
  { linkIds, accountId, clicksOfDay }: RawClickOwner & { clicksOfDay: ReadonlyMap<number, number> },
): AsyncGenerator<Buffer, void> {
  for (const days of groupsOf(clicksOfDay)) {
    for (const links of linkIds ? chunksOf(linkIds) : [undefined]) {
      const { blocks } = await db
        .selectFrom('clicks')
        .select(sql<Buffer>`coalesce(string_agg(blocks, ''), '')`.as('blocks'))
        .where(ownedBy({ accountId, linkIds: links }))
        .where('day', '=', sql<string>`any(${days}::date[])`)
        .executeTakeFirstOrThrow()
      yield blocks
    }
  }
}

/** Returns the number of raw clicks per day, without days that have none. */
export async function countRawClicks(
  db: Db,
  { from, to, ...owner }: RawClickOwner & Days,
): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom('clicks')
    .select([
      sql<number>`day - date '1970-01-01'`.as('number'),
      sql<number>`sum(clicks)::float8`.as('clicks'),
    ])
    .where(ownedBy(owner))
    .where('day', '>=', dateOf(from))
    .where('day', '<=', dateOf(to))
    .groupBy('day')
    .orderBy('day')
    .execute()
  return new Map(rows.map(({ number, clicks }) => [number, clicks]))
}

function ownedBy({
  linkIds,
  accountId,
}: {
  linkIds?: readonly number[] | undefined
  accountId?: number | undefined
}): RawBuilder<boolean> {
  if (linkIds) return sql<boolean>`link_id = any(${int8Array(linkIds)}::bigint[])`
  return accountId === undefined ? sql<boolean>`true` : sql<boolean>`account_id = ${accountId}`
}

/** Splits days into groups by their number of clicks. A busy day is a group of its own. */
function* groupsOf(clicksOfDay: ReadonlyMap<number, number>): Generator<string[], void> {
  let group: string[] = []
  let clicks = 0
  for (const [day, count] of [...clicksOfDay].sort(([a], [b]) => a - b)) {
    if (group.length > 0 && clicks + count > CLICKS) {
      yield group
      group = []
      clicks = 0
    }
    group.push(dateOf(day))
    clicks += count
  }
  if (group.length > 0) yield group
}

function* chunksOf(ids: readonly number[]): Generator<readonly number[], void> {
  for (let start = 0; start < ids.length; start += LINKS) yield ids.slice(start, start + LINKS)
}

function dateOf(day: number): string {
  return new Date(day * 86_400_000).toISOString().slice(0, 10)
}
