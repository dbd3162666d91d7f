import type { Db } from '../../db/pool.ts'
import { MAX_LABELS, OTHER_LABEL, unpackCounts } from '../encoding/label-counts.ts'
import { codecOf, KIND, labelKindNames } from '../encoding/label-kinds.ts'
import type { Batch } from './batch.ts'
import { valuesOf } from './columns.ts'
import type { KnownLinks } from './known-links.ts'
import type { LabelIds } from './label-ids.ts'
import { findPackedLabels } from './labels.queries.ts'
import { type Rollup, rollUp } from './rollup.ts'

/** A batch that is prepared as far as possible before its transaction. */
export type PreparedBatch = {
  batch: Batch
  rollup: Rollup
  /** The label number of each of the batch's names, by index. */
  labelIds: Int32Array
  other: number
  /** The owning account of each link. */
  accountOf: ReadonlyMap<number, number>
}

/**
 * Looks up links and labels and adds up the batch. Runs while the previous transaction is in
 * progress.
 */
export async function prepareBatch(
  db: Db,
  { links, labels }: { links: KnownLinks; labels: LabelIds },
  batch: Batch,
  pause: () => Promise<void>,
): Promise<PreparedBatch> {
  const alive = await links.ensure(new Set(batch.links))
  const ids = await numberLabels(db, labels, batch)
  const labelIds = Int32Array.from(batch.names, (name) => ids.get(name) ?? 0)
  const rollup = await rollUp(batch, labelIds, alive, pause)
  return { batch, rollup, labelIds, other: ids.get(OTHER_LABEL) as number, accountOf: alive }
}

/** Returns the batch without links that were deleted after it was prepared. */
export async function withoutLinks(
  prepared: PreparedBatch,
  gone: ReadonlySet<number>,
  pause: () => Promise<void>,
): Promise<PreparedBatch> {
  const left = new Set(prepared.rollup.totals.link).difference(gone)
  const rollup = await rollUp(prepared.batch, prepared.labelIds, left, pause)
  return { ...prepared, rollup }
}

async function numberLabels(
  db: Db,
  labels: LabelIds,
  batch: Batch,
): Promise<ReadonlyMap<string, number>> {
  const existing = await labels.find(batch.names)
  const unseen = batch.names.some((name) => !existing.has(name))
  if (unseen)
    await dropSurplusReferrers(db, batch, (index) => !existing.has(batch.names[index] as string))
  const { labels: columns } = batch.columns
  const used = new Set([OTHER_LABEL])
  for (const kind of unseen ? labelKindNames.filter((name) => !codecOf(name)) : []) {
    for (const index of valuesOf(columns[kind])) used.add(batch.names[index] ?? OTHER_LABEL)
  }
  return labels.findOrCreate(unseen ? [...used] : [OTHER_LABEL, ...batch.names])
}

/**
 * Drops new names of referrers on links that have reached their maximum number of labels. Otherwise
 * one link with made-up referrers could fill the table of labels.
 */
async function dropSurplusReferrers(
  db: Db,
  batch: Batch,
  isNew: (index: number) => boolean,
): Promise<void> {
  const { link } = batch.columns
  const { referrer } = batch.columns.labels
  const isNewName = batch.names.map((_, index) => isNew(index))
  const rows: number[] = []
  for (let row = 0; row < referrer.length; row += 1) {
    if (isNewName[referrer[row] as number]) rows.push(row)
  }
  const idOf = (row: number) => batch.links[link[row] as number] as number
  const full = await fullLinks(db, new Set(rows.map(idOf)))
  const other = batch.indexOf(OTHER_LABEL)
  const namesByLink = new Map<number, Set<number>>()
  for (const row of rows) {
    const id = idOf(row)
    const indexes = namesByLink.get(id) ?? new Set()
    namesByLink.set(id, indexes)
    const index = referrer[row] as number
    if (!full.has(id) && (indexes.size < MAX_LABELS || indexes.has(index))) indexes.add(index)
    else referrer[row] = other
  }
}

async function fullLinks(db: Db, linkIds: ReadonlySet<number>): Promise<ReadonlySet<number>> {
  const rows = await findPackedLabels(db, [...linkIds])
  const full = rows.filter(
    ({ labels }) =>
      unpackCounts(labels).filter(({ kind }) => kind === KIND.referrer).length >= MAX_LABELS,
  )
  return new Set(full.map(({ link_id }) => link_id))
}
