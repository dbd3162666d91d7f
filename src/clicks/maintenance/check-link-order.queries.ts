import type { Db } from '../../db/pool.ts'

/** Links in one page. */
export const PAGE = 10_000

/**
 * The next links after `after`, with what the order by clicks has of them: nulls for a link that is
 * not in it.
 */
export function readPlaces(db: Db, after: number) {
  return db
    .selectFrom((qb) =>
      qb
        .selectFrom('links')
        .select(['id', 'kind', 'account_id'])
        .where('id', '>', after)
        .orderBy('id')
        .limit(PAGE)
        .as('l'),
    )
    .leftJoin('link_order as o', 'o.link_id', 'l.id')
    .select(({ eb, ref }) => [
      'l.id',
      eb('l.kind', '=', 'link').$castTo<boolean>().as('is_listed'),
      eb('o.account_id', '=', ref('l.account_id')).$castTo<boolean | null>().as('is_own'),
      'o.clicks',
    ])
    .orderBy('l.id')
    .execute()
}

/** The links that have changed since the order was brought up to date. */
export async function readChanging(db: Db): Promise<ReadonlySet<number>> {
  const rows = await db
    .selectFrom('link_order_changes')
    .select(({ fn }) => fn<number>('unnest', ['link_ids']).as('id'))
    .distinct()
    .execute()
  return new Set(rows.map(({ id }) => id))
}
