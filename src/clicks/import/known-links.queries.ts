import { sql } from 'kysely'
import { TOTALS_LOCK } from '../../db/lock.ts'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction } from '../../db/transaction.ts'
import { joinedNumbers, splitColumns } from '../storage/joined-rows.queries.ts'

/** Returns the ids of the links that have a row of totals. */
export async function findLinksWithTotals(db: Db, linkIds: ArrayLike<number>): Promise<number[]> {
  const rows = await db
    .selectFrom('click_totals')
    .select('link_id')
    .where('link_id', '=', anyOf(linkIds))
    .execute()
  return rows.map(({ link_id }) => link_id)
}

const LINK = {
  id: 'links.id',
  account: 'links.account_id',
  hasTotals: '(click_totals.link_id is not null)::integer',
}

/**
 * Returns the ids of the links that exist, their owning accounts, and for each either 1 if it has a
 * row of totals, or 0.
 */
export async function findLinks(
  db: Db,
  linkIds: ArrayLike<number>,
): Promise<Record<keyof typeof LINK, Float64Array>> {
  const ids = anyOf(linkIds)
  const { rows } = await db
    .selectFrom('links')
    .leftJoin('click_totals', (join) =>
      join.onRef('click_totals.link_id', '=', 'links.id').on('click_totals.link_id', '=', ids),
    )
    .where('links.id', '=', ids)
    .select(joinedNumbers(LINK).as('rows'))
    .executeTakeFirstOrThrow()
  return splitColumns(rows, LINK)
}

/**
 * Creates totals for links that exist, and returns the ids of these links. A link gets its totals
 * with its first click. Waits for concurrent deletions, so that no totals remain for deleted links.
 * Locking the links instead would write a page of the table for almost each of them.
 */
export async function createTotals(db: Db, linkIds: ArrayLike<number>): Promise<Float64Array> {
  return inTransaction(db, async (tx) => {
    await sql`select pg_advisory_xact_lock(${TOTALS_LOCK})`.execute(tx)
    const { rows } = await tx
      .with(
        (cte) => cte('present').materialized(),
        (cte) =>
          cte.selectFrom('links').select('id').where('id', '=', anyOf(linkIds)).orderBy('id'),
      )
      .with('created', (cte) =>
        cte
          .insertInto('click_totals')
          .columns(['link_id'])
          .expression((qb) => qb.selectFrom('present').select('id'))
          .onConflict((conflict) => conflict.doNothing()),
      )
      .selectFrom('present')
      .select(joinedNumbers({ id: 'id' }).as('rows'))
      .executeTakeFirstOrThrow()
    return splitColumns(rows, { id: 'id' }).id
  })
}

function anyOf(linkIds: ArrayLike<number>) {
  return sql<number>`any(${int8Array(linkIds)}::bigint[])`
}
