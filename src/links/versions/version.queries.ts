import { sql } from 'kysely'
import { idArray } from '../../db/id-array.ts'
import type { PageQuery } from '../../db/pagination.ts'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Changes } from './snapshot.ts'

/**
 * The maximum number of versions stored per link. The oldest are deleted, so that a script that
 * makes frequent changes cannot fill the disk.
 */
export const MAX_VERSIONS = 1000

export type VersionRow = {
  id: number
  changedAt: Date
  changedBy: string | null
  restores: number | null
  /** When the restored version was created, if it is still stored. */
  restoredAt: Date | null
  changes: Changes
}

/** Stores versions of links in one statement, and deletes those above `MAX_VERSIONS`. */
export async function insertVersions(
  tx: Tx,
  { actor, restores }: { actor: string; restores: number | undefined },
  versions: readonly { linkId: number; changes: Changes }[],
): Promise<void> {
  if (versions.length === 0) return
  const rows = versions.map(({ linkId, changes }) => ({ link_id: linkId, changes }))
  await sql`
    insert into link_versions (link_id, changed_by, restores, changes)
    select link_id, ${actor}, ${restores ?? null}::bigint, changes
    from json_to_recordset(${JSON.stringify(rows)}::json) as given (link_id bigint, changes jsonb)
  `.execute(tx)
  await sql`
    delete from link_versions as version using unnest(
      ${idArray(versions.map(({ linkId }) => linkId))}::bigint[]) as given (link_id)
    where version.link_id = given.link_id and version.id <= (
      select id from link_versions as newer where newer.link_id = given.link_id
      order by id desc offset ${MAX_VERSIONS} limit 1)`.execute(tx)
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

export async function countVersions(db: Db, linkId: number): Promise<number> {
  const { total } = await db
    .selectFrom('link_versions')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('link_id', '=', linkId)
    .executeTakeFirstOrThrow()
  return total
}

/** Returns when and by whom an account's link was created. */
export function findCreation(db: Db, accountId: number, id: number) {
  return db
    .selectFrom('links')
    .select(['created_at as createdAt', 'created_by as createdBy'])
    .where('account_id', '=', accountId)
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

/** Returns the fields that changed after a version, with their values in that version. */
export async function readValuesAtVersion(
  db: Db,
  linkId: number,
  id: number,
): Promise<Record<string, unknown>> {
  const { rows } = await sql<{ name: string; value: unknown }>`
    select distinct on (name) name, change -> 'before' as value
    from link_versions, jsonb_each(changes) as field (name, change)
    where link_id = ${linkId} and id > ${id}
    order by name, id`.execute(db)
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}
