import type { Tx } from '../../db/transaction.ts'
import { type Actor, formatActor } from './actor.ts'
import type { RecordedTx } from './recorded-tx.ts'
import { readSnapshots } from './snapshot.queries.ts'
import { changesBetween } from './snapshot.ts'
import { insertVersions } from './version.queries.ts'

type Recording = {
  actor: Actor
  /** The links, which the transaction has locked. */
  ids: readonly number[]
  /** The version that the change restores. */
  restores?: number | undefined
}

/** Runs `work` and stores a version of each of the links that it changed. */
export async function recordChanges<Result>(
  tx: Tx,
  { actor, ids, restores }: Recording,
  work: (tx: RecordedTx) => Promise<Result>,
): Promise<Result> {
  const before = await readSnapshots(tx, ids)
  const result = await work(tx as RecordedTx)
  const versions = []
  for (const [linkId, after] of await readSnapshots(tx, ids)) {
    const changes = changesBetween(before.get(linkId) ?? {}, after)
    if (Object.keys(changes).length > 0) versions.push({ linkId, changes })
  }
  await insertVersions(tx, { actor: formatActor(actor), restores }, versions)
  return result
}
