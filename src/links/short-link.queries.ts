import type { Db } from '../db/pool.ts'

/**
 * The domains, `null` being the service itself, on which links of an account have an alias; of any account
 * without `accountId`. The service itself comes first, and no more than two are read.
 */
export function domainsWithAlias(
  db: Db,
  alias: string,
  accountId: number | undefined,
): Promise<{ domainId: number | null; origin: string | null }[]> {
  return db
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select(['links.domain_id as domainId', 'domains.origin'])
    .where('links.alias', '=', alias)
    .$if(accountId !== undefined, (query) =>
      query.where('links.account_id', '=', accountId ?? 0).where('links.kind', '=', 'link'),
    )
    .orderBy('links.domain_id', (order) => order.asc().nullsFirst())
    .limit(2)
    .execute()
}
