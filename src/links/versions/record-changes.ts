import type { Tx } from '../../db/transaction.ts'
import { deleteChecks } from '../check/link-check.queries.ts'
import { FIELDS } from '../fields.ts'
import { type Actor, formatActor } from './actor.ts'
import { readPartialSnapshots, type SnapshotPart } from './partial-snapshots.queries.ts'
import type { RecordedTx } from './recorded-tx.ts'
import { readSnapshots } from './snapshot.queries.ts'
import { type Changes, compareSnapshots } from './snapshot.ts'
import { insertVersions } from './version.queries.ts'

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
  /**
   * The part of the fields that the change affects, or `none` if no field in versions is affected.
   */
  affectedPart?: SnapshotPart | 'none' | undefined
}

/** Runs `work` and stores a version of each link that changed. */
export async function recordChanges<Result>(
  tx: Tx,
  { actor, ids, restoredVersion: restores, affectedPart }: Recording,
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
  await insertVersions(tx, { actor: formatActor(actor), restores }, versions)
  return result
}
