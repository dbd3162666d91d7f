import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { textArray } from '../db/text-array.ts'
import type { LinkAddress } from './link.ts'

/**
 * Replaces the aliases of links in an account's trash, so that another link of the account can use
 * these aliases. Returns whether any were replaced.
 */
export async function releaseAliases(
  db: Db,
  accountId: number,
  addresses: readonly LinkAddress[],
): Promise<boolean> {
  if (addresses.length === 0) return false
  const { numAffectedRows = 0n } = await sql`
    update links set alias = left(replace(gen_random_uuid()::text, '-', ''), 12)
    from unnest(
      ${textArray(addresses.map(({ alias }) => alias))}::text[],
      ${textArray(addresses.map(({ domainId }) => domainId))}::bigint[]) requested (alias, domain_id)
    where links.alias = requested.alias and links.domain_id is not distinct from requested.domain_id
      and kind = 'deleted' and account_id = ${accountId}`.execute(db)
  return numAffectedRows > 0n
}
