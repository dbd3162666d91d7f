import type { Db } from '../db/pool.ts'
import { prepareStatement } from '../db/prepared.ts'
import type { LinkAddress } from './visit-link.queries.ts'

type Row = { position: number; alias: string }

/**
 * Creates the function that returns the only other alias on the host that equals an alias except for
 * case, or undefined, in the order of the addresses. Returns none if the alias is that of a deleted
 * link: its visitors must not get the link of somebody else. The arrays are read in a subquery for the
 * same reason as in `createFindVisitLinks`.
 */
export function createFindOtherCases(db: Db) {
  const find = prepareStatement<Row>(`
    select requested.position, found.alias
    from unnest((select $1::text[]), (select $2::bigint[])) with ordinality
      as requested (alias, domain_id, position)
    cross join lateral (
      select alias from links
      where fold_case(alias) collate "C" = fold_case(requested.alias)
        and coalesce(domain_id, 0) = requested.domain_id and kind <> 'deleted'
        and not exists (
          select from links deleted
          where deleted.alias = requested.alias and coalesce(deleted.domain_id, 0) = requested.domain_id)
        and not exists (
          select from held_aliases held
          where held.alias = requested.alias
            and held.host = coalesce((select host from domains where id = requested.domain_id), ''))
      limit 2
    ) as found`)

  return async (addresses: readonly LinkAddress[]): Promise<(string | undefined)[]> => {
    const domains = addresses.map(({ domainId }) => domainId ?? 0)
    const rows = await find(db, [addresses.map(({ alias }) => alias), domains])
    const found = addresses.map((): string[] => [])
    for (const { position, alias } of rows) found[position - 1]?.push(alias)
    return found.map((aliases) => (aliases.length === 1 ? aliases[0] : undefined))
  }
}
