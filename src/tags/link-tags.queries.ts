import { sql } from 'kysely'
import { unscoped } from '../db/account-rows.ts'
import { idArray, textArray } from '../db/arrays.ts'
import type { Db } from '../db/pool.ts'
import { runPrepared } from '../db/prepared.ts'
import type { RecordedTx } from '../db/recorded-tx.ts'
import type { Tx } from '../db/transaction.ts'
import type { AccountScope } from '../scope.ts'
import type { Tag } from './tag.service.ts'

export type LinkTags = { linkId: number; tags: readonly Tag[] }

/** Returns the names of the tags of links, in order, by link id. Omits links without tags. */
export async function readTags(
  db: Db,
  linkIds: readonly number[],
): Promise<ReadonlyMap<number, string[]>> {
  const namesByLink = new Map<number, string[]>()
  if (linkIds.length === 0) return namesByLink
  const query = db
    .selectFrom('link_tags')
    .innerJoin('tags', 'tags.id', 'link_tags.tag_id')
    .select(['link_tags.link_id', 'tags.name'])
    .where('link_tags.link_id', '=', sql<number>`any(${idArray(linkIds)}::bigint[])`)
    .orderBy('link_tags.link_id')
    .orderBy('link_tags.position')
    .compile()
  for (const { link_id, name } of await runPrepared(db, query)) {
    const names = namesByLink.get(link_id)
    if (names) names.push(name)
    else namesByLink.set(link_id, [name])
  }
  return namesByLink
}

/**
 * Adds tags to links of an account, after their existing tags. A tag that already exists keeps its
 * spelling. To avoid deadlocks, links are always locked before tags, and tags in the order of their
 * keys. With `isNew`, which means that the links have no tags yet, returns an empty list and saves
 * a query. Otherwise returns the ids of the links that lacked any of these tags, in ascending
 * order.
 */
export async function addTags(
  ...[scope, links, options]:
    | [scope: AccountScope<RecordedTx>, links: readonly LinkTags[]]
    | [scope: AccountScope, links: readonly LinkTags[], options: { isNew: true }]
): Promise<number[]> {
  const rows = links.flatMap(({ linkId, tags }) =>
    tags.map(({ key }, index) => ({ key, linkId, position: index + 1 })),
  )
  if (rows.length === 0) return []
  const ids = await findOrCreateTagIds(
    scope,
    links.flatMap(({ tags }) => tags),
  )
  const isNew = options?.isNew === true
  const existing = isNew
    ? sql`0`
    : sql`coalesce((select max(position) from link_tags had where had.link_id = given.link_id), 0)`
  const { rows: added } = await sql<{ link_id: number }>`
    insert into link_tags (link_id, tag_id, position)
    select link_id, tag_id, position + ${existing}
    from unnest(
      ${textArray(rows.map(({ linkId }) => linkId))}::bigint[],
      ${textArray(rows.map(({ key }) => ids.get(key)))}::bigint[],
      ${textArray(rows.map(({ position }) => position))}::integer[]) given (link_id, tag_id, position)
    ${isNew ? sql`` : sql`on conflict do nothing returning link_id`}`.execute(unscoped(scope))
  return toLinkIds(added)
}

/**
 * Returns the ids of tags by key, and creates missing tags. The tags cannot be deleted until the
 * transaction ends. Either locks all of them in one statement, or creates the missing ones before
 * locking any. Holding some locks while waiting for an earlier one could cause a deadlock.
 */
async function findOrCreateTagIds(
  scope: AccountScope,
  tags: readonly Tag[],
): Promise<ReadonlyMap<string, number>> {
  const names = new Map(tags.toReversed().map(({ key, name }) => [key, name]))
  const isRequested = sql`account_id = ${scope.accountId} and key = any(${textArray([...names.keys()])}::text[])`
  const { rows: existing } = await sql<{ id: number; key: string }>`
    select id, key from tags
    where ${isRequested} and (select count(*) from tags where ${isRequested}) = ${names.size}
    order by key for key share`.execute(unscoped(scope))
  for (const { key } of existing) names.delete(key)
  if (names.size === 0) return new Map(existing.map(({ id, key }) => [key, id]))
  const { rows: created } = await sql<{ id: number; key: string }>`
    insert into tags (account_id, name, key)
    select ${scope.accountId}, name, key
    from unnest(${textArray([...names.values()])}::text[], ${textArray([...names.keys()])}::text[])
      given (name, key)
    order by key collate "C"
    on conflict on constraint tags_key do update set key = excluded.key
    returning id, key`.execute(unscoped(scope))
  return new Map([...existing, ...created].map(({ id, key }) => [key, id]))
}

/** Returns the ids of the tags of links in any account, without duplicates. */
export async function findTagIds(db: Db, linkIds: readonly number[]): Promise<number[]> {
  const rows = await db
    .selectFrom('link_tags')
    .select('tag_id')
    .distinct()
    .where('link_id', '=', sql<number>`any(${[...linkIds]}::bigint[])`)
    .execute()
  return rows.map((row) => row.tag_id)
}

/** Removes all tags from links that the transaction has locked. */
export async function clearTags(tx: RecordedTx, linkIds: readonly number[]): Promise<void> {
  await tx
    .deleteFrom('link_tags')
    .where('link_id', '=', sql<number>`any(${[...linkIds]}::bigint[])`)
    .execute()
}

/**
 * Removes tags from links that the transaction has locked. Returns the ids of these tags, and the
 * ids of the links that had any of them, in ascending order.
 */
export async function removeTags(
  tx: RecordedTx,
  linkIds: readonly number[],
  tags: readonly Tag[],
): Promise<{ tagIds: number[]; linkIds: number[] }> {
  const { rows } = await sql<{ tag_id: number; link_id: number }>`
    delete from link_tags using tags
    where link_id = any(${[...linkIds]}::bigint[]) and tags.id = tag_id
      and tags.key = any(${tags.map(({ key }) => key)}::text[])
    returning tag_id, link_id`.execute(tx)
  return { tagIds: [...new Set(rows.map((row) => row.tag_id))], linkIds: toLinkIds(rows) }
}

function toLinkIds(rows: readonly { link_id: number }[]): number[] {
  return [...new Set(rows.map((row) => row.link_id))].toSorted((a, b) => a - b)
}

/** Returns the number of tags of each link that has any, in no particular order. */
export async function countTags(db: Db, linkIds: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::integer as count from link_tags
    where link_id = any(${[...linkIds]}::bigint[]) group by link_id`.execute(db)
  return rows.map(({ count }) => count)
}

/**
 * Deletes those of the tags that no link uses. Locks them first, so that concurrent additions are
 * noticed.
 */
export async function dropUnusedTags(tx: Tx, tagIds: readonly number[]): Promise<void> {
  if (tagIds.length === 0) return
  const ids = sql`any(${[...tagIds]}::bigint[])`
  await sql`select from tags where id = ${ids} order by account_id, key for update`.execute(tx)
  await sql`
    delete from tags where id = ${ids}
    and not exists (select from link_tags where tag_id = tags.id)`.execute(tx)
}
