import type { Db } from '../../db/pool.ts'
import { MAX_LABELS, OTHER_LABEL, unpackCounts } from '../encoding/label-counts.ts'
import { codecOf, KIND, labelKindNames } from '../encoding/label-kinds.ts'
import type { Batch } from './batch.ts'
import { listDistinctValues } from './columns.ts'
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
  /** The number of the label `Other`. */
  other: number
  /** The owning account of each link. */
  accountOf: ReadonlyMap<number, number>
}

/**
 * Looks up links and labels, creates missing ones, and adds up the batch. Runs while the previous
 * transaction is in progress.
 */
export async function prepareBatch(
  db: Db,
  { links, labels }: { links: KnownLinks; labels: LabelIds },
  batch: Batch,
  pause: () => Promise<void>,
): Promise<PreparedBatch> {
  const accountOf = await links.ensure(new Set(batch.links))
  const ids = await assignLabelIds(db, labels, batch)
  const labelIds = Int32Array.from(batch.names, (name) => ids.get(name) ?? 0)
  const rollup = await rollUp(batch, labelIds, accountOf, pause)
  return { batch, rollup, labelIds, other: ids.get(OTHER_LABEL) as number, accountOf }
}

/** Returns the batch without links that were deleted after it was prepared. */
export async function withoutLinks(
  prepared: PreparedBatch,
  deleted: ReadonlySet<number>,
  pause: () => Promise<void>,
): Promise<PreparedBatch> {
  const remaining = new Set(prepared.rollup.totals.link).difference(deleted)
  const rollup = await rollUp(prepared.batch, prepared.labelIds, remaining, pause)
  return { ...prepared, rollup }
}

async function assignLabelIds(
  db: Db,
  labels: LabelIds,
  batch: Batch,
): Promise<ReadonlyMap<string, number>> {
  const existing = await labels.find(batch.names)
  if (batch.names.every((name) => existing.has(name))) {
    return labels.findOrCreate([OTHER_LABEL, ...batch.names])
  }
  await dropSurplusReferrers(db, batch, (index) => !existing.has(batch.names[index] as string))
  const { labels: columns } = batch.columns
  const used = new Set([OTHER_LABEL])
  for (const kind of labelKindNames.filter((name) => !codecOf(name))) {
    for (const index of listDistinctValues(columns[kind]))
      used.add(batch.names[index] ?? OTHER_LABEL)
  }
  return labels.findOrCreate([...used])
}

/**
 * Replaces new referrers with `Other` on links that have reached their maximum number of labels.
 * Otherwise one link with made-up referrers could fill the table of labels.
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
  const full = await findFullLinks(db, new Set(rows.map(idOf)))
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

async function findFullLinks(db: Db, linkIds: ReadonlySet<number>): Promise<ReadonlySet<number>> {
  const rows = await findPackedLabels(db, [...linkIds])
  const full = rows.filter(
    ({ labels }) =>
      unpackCounts(labels).filter(({ kind }) => kind === KIND.referrer).length >= MAX_LABELS,
  )
  return new Set(full.map(({ link_id }) => link_id))
}
