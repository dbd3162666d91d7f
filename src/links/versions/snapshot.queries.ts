import { sql } from 'kysely'
import { idArray } from '../../db/id-array.ts'
import type { Db } from '../../db/pool.ts'
import { readTags } from '../../tags/link-tags.queries.ts'
import { COLUMN_NAMES } from '../fields.ts'
import { type Snapshot, toSnapshot } from './snapshot.ts'

/** Returns the current state of links. Omits the links of QR codes, which have no versions. */
export async function readSnapshots(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Snapshot>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('links')
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select([
      'links.id',
      ...COLUMN_NAMES.map((name) => `links.${name}` as const),
      'links.alias',
      'links.status',
      'links.blocked_at',
      'domains.host',
      'links.archived_at',
      'links.kind',
      sql<number[]>`(
        select coalesce(json_agg(pixel_id order by position), '[]')
        from link_pixels where link_id = links.id)`.as('pixels'),
    ])
    .where('links.id', '=', sql<number>`any(${idArray(ids)}::bigint[])`)
    .where('links.kind', 'in', ['link', 'deleted'])
    .execute()
  const tags = await readTags(db, ids)
  return new Map(rows.map((row) => [row.id, toSnapshot(row, tags.get(row.id))]))
}
