import { sql } from 'kysely'
import { idArray } from '../db/arrays.ts'
import type { Tx } from '../db/transaction.ts'
import { invalid } from '../errors.ts'

/**
 * The maximum number of aliases reserved per link. Without it, an owner could reserve any number of
 * aliases by renaming the link.
 */
const MAX_ALIASES = 20

/** SQL condition on `links`: an admin disabled the link, or its reports are open. */
const UNDER_REVIEW = sql<boolean>`(links.blocked_at is not null or exists (
  select from link_reports where link_id = links.id and settled_at is null))`

/** SQL: the destinations of `links`, both the current ones and those at the time of reports. */
const DESTINATIONS = sql`(
  select link_destinations(links.url, links.expired_url, links.rules || links.split)
  union select unnest(destinations) from link_reports where link_id = links.id and settled_at is null)`

/** Returns the ids of those of the links that an admin disabled or that have open reports. */
export async function findLinksUnderReview(
  tx: Tx,
  linkIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ id: number }>`
    select id from links
    where id = any(${[...linkIds]}::bigint[]) and ${UNDER_REVIEW}`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

/**
 * If links that are about to be deleted were disabled by an admin or have open reports, stores them
 * as held and reserves their aliases and destinations. Locks the links.
 */
export async function holdLinks(tx: Tx, linkIds: readonly number[]): Promise<void> {
  if (linkIds.length === 0) return
  const anyOfLinks = sql`any(${idArray(linkIds)}::bigint[])`
  await sql`select from links where id = ${anyOfLinks} order by id for update`.execute(tx)
  const { rows } = await sql<{ id: number }>`
    insert into held_links (id, account_id, username, alias, origin, destinations, created_at, deleted_at,
      disabled_at, disable_reason)
    select links.id, links.account_id, username, alias, origin, array(${DESTINATIONS}), links.created_at, now(),
      blocked_at, block_reason
    from links join accounts on accounts.id = links.account_id left join domains on domains.id = domain_id
    where links.id = ${anyOfLinks} and ${UNDER_REVIEW}
    returning id`.execute(tx)
  if (rows.length === 0) return
  const idsUnderReview = rows.map(({ id }) => id)
  await reserveAliases(tx, idsUnderReview)
  await reserveDestinations(tx, idsUnderReview)
  await sql`
    update link_reports set link_id = null, held_id = link_id
    where link_id = any(${idArray(idsUnderReview)}::bigint[])`.execute(tx)
}

/** Reserves the current aliases of links that are under review. */
async function reserveAliases(tx: Tx, linkIds: readonly number[]): Promise<void> {
  await sql`
    insert into held_aliases (alias, host, link_id)
    select alias, coalesce(host, ''), links.id from links left join domains on domains.id = domain_id
    where links.id = any(${idArray(linkIds)}::bigint[]) and ${UNDER_REVIEW}
    on conflict do nothing`.execute(tx)
}

/**
 * Reserves the current alias of a link that is about to be renamed, if the link is under review.
 *
 * @throws AppError `invalid_input` naming `alias` after too many changes
 */
export async function reserveFormerAlias(tx: Tx, linkId: number): Promise<void> {
  await reserveAliases(tx, [linkId])
  const { count } = await tx
    .selectFrom('held_aliases')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('link_id', '=', linkId)
    .executeTakeFirstOrThrow()
  if (Number(count) > MAX_ALIASES) {
    throw invalid('alias', 'review')
  }
}

/** Prevents the owners of links from linking to the same destinations again. */
export async function reserveDestinations(tx: Tx, linkIds: readonly number[]): Promise<void> {
  await sql`
    insert into held_destinations (account_id, digest, link_id)
    select distinct account_id, destination_digest(destination), links.id
    from links cross join lateral ${DESTINATIONS} held (destination)
    where links.id = any(${idArray(linkIds)}::bigint[])
    on conflict do nothing`.execute(tx)
}

/**
 * Releases reservations of existing links: of aliases unless the link is under review, and of
 * destinations unless an admin disabled the link.
 */
export async function releaseReviewed(
  tx: Tx,
  which: { linkId: number } | { accountId: number },
): Promise<void> {
  const links =
    'linkId' in which ? sql`links.id = ${which.linkId}` : sql`links.account_id = ${which.accountId}`
  await sql`
    delete from held_aliases using links
    where link_id = links.id and ${links} and not ${UNDER_REVIEW}`.execute(tx)
  await sql`
    delete from held_destinations using links
    where link_id = links.id and ${links} and links.blocked_at is null`.execute(tx)
}

/** Releases the reservations of a deleted link. */
export async function releaseHeld(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('held_aliases').where('link_id', '=', id).execute()
  await tx.deleteFrom('held_destinations').where('link_id', '=', id).execute()
}
