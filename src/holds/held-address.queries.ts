import { sql } from 'kysely'
import { unscoped } from '../db/account-rows.ts'
import { textArray } from '../db/arrays.ts'
import type { Db } from '../db/pool.ts'
import type { AccountScope } from '../scope.ts'

/**
 * Returns whether an alias is reserved on a host for a link other than `linkId`. An empty host
 * means the service's own host.
 */
export async function isAliasHeld(
  db: Db,
  { alias, host }: { alias: string; host: string },
  linkId = 0,
): Promise<boolean> {
  const row = await db
    .selectFrom('held_aliases')
    .select('link_id')
    .where('alias', '=', alias)
    .where('host', '=', host)
    .where('link_id', '<>', linkId)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Returns which of the aliases are reserved, with the ids of the domains on which they are. Null
 * means the service's own host.
 */
export async function findHeldAliases(
  db: Db,
  aliases: readonly string[],
): Promise<{ alias: string; domainId: number | null }[]> {
  if (aliases.length === 0) return []
  return db
    .selectFrom('held_aliases')
    .leftJoin('domains', 'domains.host', 'held_aliases.host')
    .select(['held_aliases.alias', 'domains.id as domainId'])
    .where('held_aliases.alias', '=', sql<string>`any(${textArray(aliases)}::text[])`)
    .where(({ eb, or }) => or([eb('held_aliases.host', '=', ''), eb('domains.id', 'is not', null)]))
    .execute()
}

/** Returns those of the URLs to which an account must not link. */
export async function findHeldDestinations(
  scope: AccountScope,
  urls: readonly string[],
): Promise<ReadonlySet<string>> {
  if (urls.length === 0) return new Set()
  const { rows } = await sql<{ url: string }>`
    select url from unnest(${textArray(urls)}::text[]) url
    where (select exists (select from held_destinations where account_id = ${scope.accountId}))
      and exists (select from held_destinations
        where account_id = ${scope.accountId} and digest = destination_digest(url))`.execute(
    unscoped(scope),
  )
  return new Set(rows.map(({ url }) => url))
}
