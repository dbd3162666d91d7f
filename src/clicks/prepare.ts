import type pg from 'pg'
import { type Batch, MAX_REFERRERS, OTHER } from './batch.ts'
import type { LabelIds } from './label-ids.ts'
import { int8Array } from './pg-binary.ts'
import { type Rollup, rollUp } from './rollup.ts'

export type Owner = { account: number; listed: boolean }

/** A batch with everything worked out that can be before its transaction. */
export type PreparedBatch = {
  batch: Batch
  rollup: Rollup
  /** The database's number of each name of the batch, by its place. */
  labelIds: Int32Array
  other: number
  owners: ReadonlyMap<number, Owner>
}

export type Owners = ReturnType<typeof createOwners>

const MAX_REMEMBERED = 500_000

/** Whose a link is: this never changes, and numbers of deleted links are not used again. */
export function createOwners(db: Pick<pg.Pool, 'query'>) {
  let known = new Map<number, Owner>()

  async function find(linkIds: ReadonlySet<number>): Promise<ReadonlyMap<number, Owner>> {
    if (known.size >= MAX_REMEMBERED) known = new Map()
    const unknown = [...linkIds].filter((id) => !known.has(id))
    if (unknown.length > 0) {
      const { rows } = await db.query<{ id: number; account_id: number; listed: boolean }>(
        `select id, account_id, kind = 'link' as listed from links where id = any($1::bigint[])`,
        [int8Array(unknown)],
      )
      for (const { id, account_id, listed } of rows) known.set(id, { account: account_id, listed })
    }
    return known
  }

  function forget(): void {
    known = new Map()
  }

  return { find, forget }
}

/** Looks up links and labels and adds the batch up; runs beside the transaction of the one before. */
export async function prepareBatch(
  db: Pick<pg.Pool, 'query'>,
  { owners, labels }: { owners: Owners; labels: LabelIds },
  batch: Batch,
  pause: () => Promise<void>,
): Promise<PreparedBatch> {
  const alive = await owners.find(new Set(batch.columns.link))
  const ids = await numberLabels(db, labels, batch)
  const labelIds = Int32Array.from(batch.names, (name) => ids.get(name) ?? 0)
  const rollup = await rollUp(batch, labelIds, alive, pause)
  return { batch, rollup, labelIds, other: ids.get(OTHER) ?? 0, owners: alive }
}

async function numberLabels(
  db: Pick<pg.Pool, 'query'>,
  labels: LabelIds,
  batch: Batch,
): Promise<ReadonlyMap<string, number>> {
  const known = await labels.find(batch.names)
  const unseen = batch.names.some((name) => !known.has(name))
  if (unseen) await dropSurplusReferrers(db, batch, (place) => !known.has(batch.names[place] ?? ''))
  const { country, referrer, browser, os, social } = batch.columns
  const used = new Set([OTHER])
  for (const column of unseen ? [country, referrer, browser, os, social] : []) {
    for (const place of new Set(column)) used.add(batch.names[place] ?? OTHER)
  }
  return labels.findOrCreate(unseen ? [...used] : [OTHER, ...batch.names])
}

/**
 * Names that nobody has used before get no number where their link has no room for them anyway:
 * otherwise one link with made-up referrers would fill the table of labels.
 */
async function dropSurplusReferrers(
  db: Pick<pg.Pool, 'query'>,
  batch: Batch,
  isNew: (place: number) => boolean,
): Promise<void> {
  const { link, referrer } = batch.columns
  const rows = [...referrer.keys()].filter((row) => isNew(referrer[row] ?? 0))
  const full = await fullLinks(db, new Set(rows.map((row) => link[row] ?? 0)))
  const other = batch.place(OTHER)
  const taken = new Map<number, Set<number>>()
  for (const row of rows) {
    const id = link[row] ?? 0
    const places = taken.get(id) ?? new Set()
    taken.set(id, places)
    const place = referrer[row] ?? 0
    if (!full.has(id) && (places.size < MAX_REFERRERS || places.has(place))) places.add(place)
    else referrer[row] = other
  }
}

async function fullLinks(
  db: Pick<pg.Pool, 'query'>,
  linkIds: ReadonlySet<number>,
): Promise<ReadonlySet<number>> {
  const { rows } = await db.query<{ link_id: number }>(
    'select link_id from click_totals where link_id = any($1::bigint[]) and referrers = $2',
    [int8Array([...linkIds]), MAX_REFERRERS],
  )
  return new Set(rows.map(({ link_id }) => link_id))
}
