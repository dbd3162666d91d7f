import { sql } from 'kysely'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'

/** Returns the ids of the links that have a row of totals. */
export async function findLinksWithTotals(db: Db, linkIds: ArrayLike<number>): Promise<number[]> {
  const rows = await db
    .selectFrom('click_totals')
    .select('link_id')
    .where('link_id', '=', sql<number>`any(${int8Array(linkIds)}::bigint[])`)
    .execute()
  return rows.map(({ link_id }) => link_id)
}

/** Returns the owning account of each existing link. */
export function findOwners(
  db: Db,
  linkIds: ArrayLike<number>,
): Promise<{ id: number; account_id: number }[]> {
  return db
    .selectFrom('links')
    .select(['id', 'account_id'])
    .where('id', '=', sql<number>`any(${int8Array(linkIds)}::bigint[])`)
    .execute()
}

/**
 * Creates totals for links that exist. A link gets its totals with its first click. Waits for
 * concurrent deletions, so that no totals remain for deleted links.
 */
export async function createTotals(db: Db, linkIds: ArrayLike<number>): Promise<void> {
  await db
    .with(
      (cte) => cte('present').materialized(),
      (cte) =>
        cte
          .selectFrom('links')
          .select('id')
          .where('id', '=', sql<number>`any(${int8Array(linkIds)}::bigint[])`)
          .orderBy('id')
          .forKeyShare(),
    )
    .insertInto('click_totals')
    .columns(['link_id'])
    .expression((qb) => qb.selectFrom('present').select('id'))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
