import type pg from 'pg'

type Hit = { hits: number; left: number }

const WINDOW_SECONDS = 60

const STATEMENT = `
insert into rate_windows as w (subject, started_at, hits) values ($1, clock_timestamp(), 1)
on conflict (subject) do update set
  hits = case when w.started_at <= excluded.started_at - $2 * interval '1 second'
              then 1 else w.hits + 1 end,
  started_at = case when w.started_at <= excluded.started_at - $2 * interval '1 second'
                    then excluded.started_at else w.started_at end
returning hits,
  extract(epoch from started_at + $2 * interval '1 second' - clock_timestamp())::float8 as left`

/**
 * Counts one hit of `subject`, for all processes together, in a window of a minute that opens with the
 * first. Gives the hits in it so far and the whole seconds until it ends, at least 1.
 */
export async function countHit(
  pool: pg.Pool,
  subject: string,
): Promise<{ hits: number; retryAfter: number }> {
  const { rows } = await pool.query<Hit>({
    name: 'hit',
    text: STATEMENT,
    values: [subject, WINDOW_SECONDS],
  })
  const { hits, left } = rows[0] as Hit
  return { hits, retryAfter: Math.max(1, Math.ceil(left)) }
}
