import type pg from 'pg'

/** The schema of graphile-worker's tables. */
export const JOB_SCHEMA = 'brevis_jobs'
/** The schema revision of the installed version of graphile-worker. */
export const JOB_REVISION = 19

/**
 * Returns the schema's revision and the last revision that is incompatible with older programs, or
 * 0 if there is no schema.
 */
export async function findJobRevision(
  client: pg.ClientBase,
): Promise<{ revision: number; breaking: number }> {
  const noSchema = { revision: 0, breaking: 0 }
  const { rows } = await client.query<{ found: boolean }>(
    `select to_regclass('brevis_jobs.migrations') is not null as found`,
  )
  if (!rows[0]?.found) return noSchema
  const found = await client.query<{ revision: number; breaking: number }>(
    `select coalesce(max(id), 0) as revision,
            coalesce(max(id) filter (where breaking), 0) as breaking
     from brevis_jobs.migrations`,
  )
  return found.rows[0] ?? noSchema
}
