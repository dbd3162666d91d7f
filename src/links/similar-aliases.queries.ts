import type { Db } from '../db/pool.ts'
import { prepareStatement } from '../db/prepared.ts'

/** A key of `listCaseKeys` on a branded domain, or on the service's own host (null). */
export type CaseKey = { domainId: number | null; key: string }

type Row = { position: number; alias: string }

/**
 * Creates the function that returns up to two aliases for each key, in the order of the keys. The
 * arrays are read in a subquery for the same reason as in `createFindVisitLinks`.
 */
export function createFindAliasesByCase(db: Db) {
  const find = prepareStatement<Row>(`
    select requested.position, found.alias
    from unnest((select $1::text[]), (select $2::bigint[])) with ordinality
      as requested (key, domain_id, position)
    cross join lateral (
      select alias from links
      where lower(alias collate "C") = requested.key
        and coalesce(domain_id, 0) = requested.domain_id and kind <> 'deleted'
      limit 2
    ) as found`)

  return async (keys: readonly CaseKey[]): Promise<string[][]> => {
    const domains = keys.map(({ domainId }) => domainId ?? 0)
    const rows = await find(db, [keys.map(({ key }) => key), domains])
    const aliases = keys.map((): string[] => [])
    for (const { position, alias } of rows) aliases[position - 1]?.push(alias)
    return aliases
  }
}
