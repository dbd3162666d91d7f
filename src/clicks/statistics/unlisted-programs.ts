import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import { OTHER_LABEL } from '../encoding/label-counts.ts'

/** A program that names no browser and is in no list of robots or tools, and its clicks. */
export type UnlistedProgram = { name: string; clicks: number }

const DAYS = 30

/**
 * Returns the most frequent programs of the last 30 days that were in no list when they clicked, of an
 * account or of the installation.
 */
export async function readUnlistedPrograms(
  db: Db,
  { accountId, now, limit }: { accountId?: number; now: Date; limit: number },
): Promise<UnlistedProgram[]> {
  const since = new Date(now.getTime() - DAYS * 86_400_000).toISOString().slice(0, 10)
  const owner = accountId === undefined ? sql`true` : sql`account_id = ${accountId}`
  const { rows } = await sql<UnlistedProgram>`
    select program.key as name, sum(program.value::bigint)::float8 as clicks
    from (
      select visits->'program' as programs from account_uncounted_days
      where day > ${since}::date and visits ? 'program' and ${owner}
    ) days, jsonb_each_text(programs) program
    where program.key <> ${OTHER_LABEL}
    group by program.key order by clicks desc, name limit ${limit}`.execute(db)
  return rows
}
