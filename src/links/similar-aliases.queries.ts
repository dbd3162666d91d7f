import type { Db } from '../db/pool.ts'
import { prepareStatement } from '../db/prepared.ts'

/** An alias on a branded domain, or on the service's own host (null), and a key of `listCaseKeys`. */
export type CaseKey = { domainId: number | null; alias: string; key: string }

type Row = { position: number; alias: string }

/**
 * Creates the function that returns up to two aliases for each key, in the order of the keys. Returns
 * none if the alias is that of a deleted link: its visitors must not get the link of somebody else. The
 * arrays are read in a subquery for the same reason as in `createFindVisitLinks`.
 */
export function createFindAliasesByCase(db: Db) {
  const find = prepareStatement<Row>(`
    select requested.position, found.alias
    from unnest((select $1::text[]), (select $2::bigint[]), (select $3::text[])) with ordinality
      as requested (key, domain_id, alias, position)
    cross join lateral (
      select alias from links
      where lower(alias collate "C") = requested.key
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

  return async (keys: readonly CaseKey[]): Promise<string[][]> => {
    const domains = keys.map(({ domainId }) => domainId ?? 0)
    const aliasList = keys.map(({ alias }) => alias)
    const rows = await find(db, [keys.map(({ key }) => key), domains, aliasList])
    const aliases = keys.map((): string[] => [])
    for (const { position, alias } of rows) aliases[position - 1]?.push(alias)
    return aliases
  }
}
