import { type Selectable, sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { preparedText } from '../db/prepared.ts'
import type { RateWindowTable } from '../db/schema/accounts.ts'

type Hit = Pick<Selectable<RateWindowTable>, 'hits'> & { left: number; startedAt: string }

export type CountedHits = {
  hits: number
  retryAfter: number
  /** The window's beginning as PostgreSQL writes it, which tells it from others of the subject. */
  startedAt: string
}

/** How long a window of the rate limit is. */
export const WINDOW_SECONDS = 60
/** Windows of subjects that begin so are kept for a day; the others are soon deleted. */
export const DAILY = 'day:'
export const DAY_SECONDS = 86_400

/**
 * How far ahead a window may begin: a statement takes its moment before it waits for the row, so that
 * another one may have opened the window since. One that begins later than that was opened before the
 * database's clock was set back.
 */
export const AHEAD_SECONDS = 5

/**
 * SQL: whether the row `w` of rate_windows is the window into which `excluded.started_at` falls;
 * `seconds` is the parameter that holds the length of a window.
 */
export function isOpen(seconds: string): string {
  return `(w.started_at > excluded.started_at - ${seconds} * interval '1 second'
    and w.started_at < excluded.started_at + interval '${AHEAD_SECONDS} seconds')`
}

const COUNT = preparedText<Hit>(`
insert into rate_windows as w (subject, started_at, hits)
select subject, clock_timestamp(), $3 from unnest($1::text[]) as subject
on conflict (subject) do update set
  hits = case when ${isOpen('$2')} then w.hits + excluded.hits else excluded.hits end,
  started_at = case when ${isOpen('$2')} then w.started_at else excluded.started_at end
returning hits, started_at::text as "startedAt",
  extract(epoch from started_at + $2 * interval '1 second' - clock_timestamp())::float8 as left`)

/**
 * Counts one hit of each of `subjects`, or as many as `count`, for all processes together, in windows
 * of a minute, or of as many `seconds`, that open with the first. Gives for each, in their order, the
 * hits in it so far and the whole seconds until it ends, at least 1. Callers name subjects that they
 * share with others in one order.
 */
export async function countHits(
  db: Db,
  subjects: readonly string[],
  { seconds = WINDOW_SECONDS, count = 1 } = {},
): Promise<CountedHits[]> {
  const rows = await COUNT(db, [subjects, seconds, count])
  return rows.map(({ hits, left, startedAt }) => ({
    hits,
    retryAfter: Math.max(1, Math.ceil(left)),
    startedAt,
  }))
}

/** The same for one subject. */
export async function countHit(
  db: Db,
  subject: string,
  seconds = WINDOW_SECONDS,
): Promise<CountedHits> {
  const [hit] = await countHits(db, [subject], { seconds })
  if (!hit) throw new Error('a hit was counted without an answer')
  return hit
}

/** Whether a window of the subject is open that has any hits; counts none. */
export async function hasHits(db: Db, subject: string, seconds: number): Promise<boolean> {
  const row = await db
    .selectFrom('rate_windows')
    .select('hits')
    .where('subject', '=', subject)
    .where('hits', '>', 0)
    .where(sql<boolean>`started_at > clock_timestamp() - ${seconds} * interval '1 second'`)
    .executeTakeFirst()
  return row !== undefined
}

/** Takes back a hit that was counted in the window of `startedAt`, unless that has ended. */
export async function takeBackHit(db: Db, subject: string, startedAt: string): Promise<void> {
  await db
    .updateTable('rate_windows')
    .set(({ eb }) => ({ hits: eb('hits', '-', 1) }))
    .where('subject', '=', subject)
    .where('started_at', '=', sql<Date>`${startedAt}::timestamptz`)
    .where('hits', '>', 0)
    .execute()
}
