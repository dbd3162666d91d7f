import type { Db } from '../db/pool.ts'

/**
 * Returns up to two domains on which an alias exists, among the links of `accountId` or of all
 * accounts. The service's own host is `null` and comes first.
 */
export function findDomainsWithAlias(
  db: Db,
  alias: string,
  accountId: number | undefined,
): Promise<{ domainId: number | null; origin: string | null }[]> {
  return db
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select(['links.domain_id as domainId', 'domains.origin'])
    .where('links.alias', '=', alias)
    .where('links.kind', '<>', 'deleted')
    .$if(accountId !== undefined, (query) =>
      query.where('links.account_id', '=', accountId ?? 0).where('links.kind', '=', 'link'),
    )
    .orderBy('links.domain_id', (order) => order.asc().nullsFirst())
    .limit(2)
    .execute()
}
