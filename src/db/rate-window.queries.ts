import { type Selectable, sql } from 'kysely'
import type { Db } from './pool.ts'
import { prepareStatement } from './prepared.ts'
import type { RateWindows } from './tables.generated.ts'

type Hit = Pick<Selectable<RateWindows>, 'hits'> & { secondsLeft: number; startedAt: string }

export type CountedHits = {
  hits: number
  retryAfter: number
  /** The start of the window as formatted by PostgreSQL. It identifies the window. */
  startedAt: string
}

/** The length of a rate window in seconds. */
export const WINDOW_SECONDS = 60
/** Windows whose subject has this prefix are stored for a day, all others only for minutes. */
export const DAILY_PREFIX = 'day:'
export const DAY_SECONDS = 86_400

/**
 * The maximum number of seconds that a window may start in the future. A statement reads the time
 * before it waits for the row lock, so another statement may have started the window in the
 * meantime. A window that starts even later was created before the database's clock was set back.
 */
export const MAX_CLOCK_SKEW_SECONDS = 5

/**
 * Returns SQL for whether `excluded.started_at` falls into the window of row `w`. `seconds` is the
 * parameter that contains the length of the window.
 */
export function isInWindow(seconds: string): string {
  return `(w.started_at > excluded.started_at - ${seconds} * interval '1 second'
    and w.started_at < excluded.started_at + interval '${MAX_CLOCK_SKEW_SECONDS} seconds')`
}

const countStatement = prepareStatement<Hit>(`
insert into rate_windows as w (subject, started_at, hits)
select subject, clock_timestamp(), $3 from unnest($1::text[]) as subject
on conflict (subject) do update set
  hits = case when ${isInWindow('$2')} then w.hits + excluded.hits else excluded.hits end,
  started_at = case when ${isInWindow('$2')} then w.started_at else excluded.started_at end
returning hits, started_at::text as "startedAt",
  extract(epoch from started_at + $2 * interval '1 second' - clock_timestamp())::float8 as "secondsLeft"`)

/**
 * Counts `count` attempts of each subject, across all processes. Windows last `seconds` and start
 * with the first attempt. Returns, in order, the attempts in each window and the whole seconds
 * until its end, at least 1. Callers must pass shared subjects in a fixed order to avoid deadlocks.
 */
export async function countHits(
  db: Db,
  subjects: readonly string[],
  { seconds = WINDOW_SECONDS, count = 1 } = {},
): Promise<CountedHits[]> {
  const rows = await countStatement(db, [subjects, seconds, count])
  return rows.map(({ hits, secondsLeft, startedAt }) => ({
    hits,
    retryAfter: Math.max(1, Math.ceil(secondsLeft)),
    startedAt,
  }))
}

/** Counts attempts of one subject. */
export async function countHit(
  db: Db,
  subject: string,
  seconds = WINDOW_SECONDS,
): Promise<CountedHits> {
  const [hit] = await countHits(db, [subject], { seconds })
  if (!hit) throw new Error('the rate limit query returned no row')
  return hit
}

/** Returns whether the subject has attempts in an open window. Does not count an attempt. */
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

/** Removes an attempt from the window that started at `startedAt`, unless it has ended. */
export async function removeHit(db: Db, subject: string, startedAt: string): Promise<void> {
  await db
    .updateTable('rate_windows')
    .set(({ eb }) => ({ hits: eb('hits', '-', 1) }))
    .where('subject', '=', subject)
    .where('started_at', '=', sql<Date>`${startedAt}::timestamptz`)
    .where('hits', '>', 0)
    .execute()
}
