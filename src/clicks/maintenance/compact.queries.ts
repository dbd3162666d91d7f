import { sql } from 'kysely'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'

/**
 * Returns the links that have at least `minRows` rows of raw clicks on a day (in days since 1970).
 */
export async function findLinksWithRows(db: Db, day: number, minRows: number): Promise<number[]> {
  const rows = await db
    .selectFrom('clicks')
    .select('link_id')
    .where('day', '=', dateOf(day))
    .groupBy('link_id')
    .having(({ fn }) => fn.countAll(), '>=', minRows)
    .orderBy('link_id')
    .execute()
  return rows.map(({ link_id }) => link_id)
}

/**
 * Joins each link's raw clicks of a day into one row by concatenating their blocks. Runs a single
 * statement, so that no concurrent click is lost.
 */
export async function joinRows(db: Db, day: number, linkIds: readonly number[]): Promise<void> {
  await db
    .with('old', (cte) =>
      cte
        .deleteFrom('clicks')
        .where('day', '=', dateOf(day))
        .where('link_id', '=', sql<number>`any(${int8Array(linkIds)}::bigint[])`)
        .returning(['account_id', 'link_id', 'day', 'clicks', 'blocks']),
    )
    .insertInto('clicks')
    .columns(['account_id', 'link_id', 'day', 'clicks', 'blocks'])
    .expression((eb) =>
      eb
        .selectFrom('old')
        .select(['account_id', 'link_id', 'day'])
        .select([
          sql<number>`sum(clicks)::integer`.as('clicks'),
          sql<Buffer>`string_agg(blocks, '')`.as('blocks'),
        ])
        .groupBy(['account_id', 'link_id', 'day']),
    )
    .execute()
}

function dateOf(day: number) {
  return sql<string>`date '1970-01-01' + ${day}::integer`
}
