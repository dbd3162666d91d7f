import { sql } from 'kysely'
import { own } from '../../db/account-rows.ts'
import type { PageQuery } from '../../db/pagination.ts'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'
import type { AccountScope } from '../../scope.ts'
import type { Changes } from './snapshot.ts'

/**
 * The maximum number of versions stored per link. The oldest are deleted, so that a script that
 * makes frequent changes cannot fill the disk.
 */
export const MAX_VERSIONS = 1000
/** The maximum size of a link's changes in bytes. The newest version may exceed it. */
export const MAX_HISTORY_BYTES = 1_048_576

export type VersionRow = {
  id: number
  changedAt: Date
  changedBy: string | null
  restores: number | null
  /** When the restored version was created, if it is still stored. */
  restoredAt: Date | null
  changes: Changes
}

/**
 * Stores versions of links in one statement, and deletes the oldest above `MAX_VERSIONS` or
 * `MAX_HISTORY_BYTES`.
 */
export async function insertVersions(
  tx: Tx,
  {
    actor,
    restores,
    undoes,
  }: { actor: string; restores: number | undefined; undoes: number | undefined },
  versions: readonly { linkId: number; changes: Changes }[],
): Promise<void> {
  if (versions.length === 0) return
  const rows = versions.map(({ linkId, changes }) => ({ link_id: linkId, changes }))
  await sql`
    with given as (
      select * from json_to_recordset(${JSON.stringify(rows)}::json)
        as given (link_id bigint, changes jsonb)),
    sized as (
      select version.link_id, version.id, octet_length(given.changes::text)
          + sum(version.bytes) over newer as bytes, count(*) over newer as newer
      from given join link_versions as version on version.link_id = given.link_id
      window newer as (partition by version.link_id order by version.id desc)),
    deleted as (
      delete from link_versions as version using sized
      where version.link_id = sized.link_id and version.id = sized.id
        and (sized.bytes > ${MAX_HISTORY_BYTES} or sized.newer >= ${MAX_VERSIONS})
      returning version.link_id)
    insert into link_versions (link_id, changed_by, restores, undoes, changes, truncated, account_id)
    select link_id, ${actor}, ${restores ?? null}::bigint, ${undoes ?? null}::bigint, changes,
      link_id in (select link_id from deleted), account_id
    from given left join links on links.id = link_id`.execute(tx)
}

/** Returns the versions of a link, newest first. Omits its creation. */
export async function listVersionRows(
  db: Db,
  linkId: number,
  { limit, offset }: PageQuery,
): Promise<VersionRow[]> {
  return db
    .selectFrom('link_versions')
    .select([
      'id',
      'changed_at as changedAt',
      'changed_by as changedBy',
      'restores',
      sql<Date | null>`(
        select changed_at from link_versions as restored
        where restored.link_id = link_versions.link_id and restored.id = link_versions.restores)`.as(
        'restoredAt',
      ),
      sql<Changes>`changes`.as('changes'),
    ])
    .where('link_id', '=', linkId)
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}

/** Returns the number of stored versions, and whether older ones were deleted to limit it. */
export async function countVersions(
  db: Db,
  linkId: number,
): Promise<{ count: number; isTruncated: boolean }> {
  return db
    .selectFrom('link_versions')
    .select(({ fn }) => [
      fn.countAll<number>().as('count'),
      sql<boolean>`coalesce(bool_or(truncated), false)`.as('isTruncated'),
    ])
    .where('link_id', '=', linkId)
    .executeTakeFirstOrThrow()
}

/** Returns when and by whom an account's link was created. */
export function findCreation(scope: AccountScope, id: number) {
  return own(scope)
    .selectFrom('links')
    .select(['created_at as createdAt', 'created_by as createdBy'])
    .where('id', '=', id)
    .where('kind', '=', 'link')
    .executeTakeFirst()
}

export async function hasVersion(db: Db, linkId: number, id: number): Promise<boolean> {
  const row = await db
    .selectFrom('link_versions')
    .select('id')
    .where('link_id', '=', linkId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

/** Returns the changes after a version, newest first. */
export async function readChangesAfter(db: Db, linkId: number, id: number): Promise<Changes[]> {
  const rows = await db
    .selectFrom('link_versions')
    .select(sql<Changes>`changes`.as('changes'))
    .where('link_id', '=', linkId)
    .where('id', '>', id)
    .orderBy('id', 'desc')
    .execute()
  return rows.map(({ changes }) => changes)
}
