import { type Selectable, sql } from 'kysely'
import { type Actor, formatActor, isAgent } from '../../actor.ts'
import { idArray } from '../../db/arrays.ts'
import type { Db } from '../../db/pool.ts'
import type { RecordedTx } from '../../db/recorded-tx.ts'
import type { Links } from '../../db/tables.generated.ts'
import type { Tx } from '../../db/transaction.ts'
import { readTags } from '../../tags/link-tags.queries.ts'
import { deleteChecks } from '../check/link-check.queries.ts'
import { COLUMN_NAMES, FIELDS } from '../fields.ts'
import { requireUndoable } from './agent-changes.queries.ts'
import { type Changes, compareSnapshots, type Snapshot, toSnapshot } from './snapshot.ts'
import { insertVersions } from './version.queries.ts'

/** A part of snapshots that a bulk action changes. */
type SnapshotPart = 'status' | 'archived' | 'deleted' | 'expiry' | 'tags'

/**
 * The fields that contain a link's destinations. When one of them changes, the last link check
 * becomes invalid.
 */
const DESTINATION_FIELDS = [FIELDS.url.api, FIELDS.split.api, FIELDS.rules.api]

export type Recording = {
  actor: Actor
  /** The ids of the links. The transaction must have locked them. */
  ids: readonly number[]
  /** The version that the change restores. */
  restoredVersion?: number | undefined
  /** The version that the change undoes. */
  undoes?: number | undefined
  /**
   * The part of the fields that the change affects, or `none` if no field in versions is affected.
   */
  affectedPart?: SnapshotPart | 'none' | undefined
}

/** Runs `work` and stores a version of each link that changed. */
export async function recordChanges<Result>(
  tx: Tx,
  { actor, ids, restoredVersion: restores, undoes, affectedPart }: Recording,
  work: (tx: RecordedTx) => Promise<Result>,
): Promise<Result> {
  if (affectedPart === 'none') return work(tx as RecordedTx)
  const read = () =>
    affectedPart ? readPartialSnapshots(tx, ids, affectedPart) : readSnapshots(tx, ids)
  const before = await read()
  const result = await work(tx as RecordedTx)
  const versions = []
  for (const [linkId, after] of await read()) {
    const changes = compareSnapshots(before.get(linkId) ?? {}, after)
    if (Object.keys(changes).length > 0) versions.push({ linkId, changes })
  }
  const changesDestinations = ({ changes }: { changes: Changes }) =>
    DESTINATION_FIELDS.some((name) => name in changes)
  await deleteChecks(
    tx,
    versions.filter(changesDestinations).map(({ linkId }) => linkId),
  )
  await insertVersions(tx, { actor: formatActor(actor), restores, undoes }, versions)
  if (isAgent(actor) && undoes === undefined) await requireUndoable(tx, ids)
  return result
}

/**
 * Returns one part of the current state of links. This takes a fifth of the time of complete
 * snapshots.
 */
async function readPartialSnapshots(
  db: Db,
  ids: readonly number[],
  part: SnapshotPart,
): Promise<ReadonlyMap<number, Snapshot>> {
  if (ids.length === 0) return new Map()
  if (part === 'tags') return readTagParts(db, ids)
  const rows = await db
    .selectFrom('links')
    .select(['id', 'status', 'archived_at', 'kind', 'expires_at'])
    .where('id', '=', sql<number>`any(${idArray(ids)}::bigint[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, toPartialSnapshot(row, part)]))
}

type PartRow = Pick<Selectable<Links>, 'status' | 'archived_at' | 'kind' | 'expires_at'>

/** Returns one part of a row in the form of a complete snapshot. */
function toPartialSnapshot(row: PartRow, part: Exclude<SnapshotPart, 'tags'>): Snapshot {
  switch (part) {
    case 'status':
      return { status: row.status }
    case 'archived':
      return { archived: row.archived_at !== null }
    case 'deleted':
      return { deleted: row.kind === 'deleted' }
    case 'expiry':
      return { [FIELDS.expiresAt.api]: row.expires_at?.toISOString() ?? null }
    default:
      part satisfies never
      throw new Error(`unknown part ${part}`)
  }
}

/** Not a prepared statement, so that PostgreSQL plans it for the actual number of ids. */
async function readTagParts(
  db: Db,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Snapshot>> {
  const { rows } = await sql<{ id: number; tags: string[] }>`
    select given.id, coalesce(tags, '{}') as tags
    from unnest(${[...ids]}::bigint[]) given (id)
    left join (
      select link_id, array_agg(name order by position) as tags
      from link_tags join tags on tags.id = tag_id
      where link_id = any(${[...ids]}::bigint[]) group by link_id) named on link_id = given.id
  `.execute(db)
  return new Map(rows.map(({ id, tags }) => [id, { tags }]))
}

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
