import type pg from 'pg'

export type Guesses = ReturnType<typeof createGuesses>

type Dependencies = {
  pool: pg.Pool
  hashAddress: (address: string) => string
  /** Guesses in a minute for one link from one address. */
  limit?: number
}

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

/** Counts guesses at links' passwords, for all processes together. */
export function createGuesses({ pool, hashAddress, limit = 10 }: Dependencies) {
  return {
    /** Counts one guess; says whether it may be tried, and in how many seconds the next one may. */
    async count(
      linkId: number,
      address: string,
    ): Promise<{ allowed: boolean; retryAfter: number }> {
      const { rows } = await pool.query<{ hits: number; left: number }>({
        name: 'guess',
        text: STATEMENT,
        values: [`guess:${linkId}:${hashAddress(address)}`, WINDOW_SECONDS],
      })
      const { hits = 1, left = WINDOW_SECONDS } = rows[0] ?? {}
      return { allowed: hits <= limit, retryAfter: Math.max(1, Math.ceil(left)) }
    },
  }
}
