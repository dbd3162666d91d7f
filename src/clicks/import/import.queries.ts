import { sql } from 'kysely'
import { dateArray, int4Array, int8Array, timestampArray } from '../../db/pg-binary.ts'
import type { Tx } from '../../db/transaction.ts'
import type { Range } from '../encoding/packed-counts.ts'
import { createAccountSums } from './account-entries.ts'
import { addAccountDays, readDays, writeDays } from './days.queries.ts'
import { readBuckets, readDetails, writeBuckets, writeDetails } from './details.queries.ts'
import { findLinksWithTotals } from './known-links.queries.ts'
import { type BatchResults, type Merged, merge, type Stored } from './merge.ts'
import { visitorsOf } from './merge-visitors.ts'
import type { PreparedBatch } from './prepare.ts'
import { packRawClicks, type RawBlocks } from './raw-blocks.ts'
import type { Details, Rollup } from './rollup.ts'
import { addAccountUncountedDays, addUncountedDays } from './uncounted.queries.ts'
import type { UncountedDay } from './uncounted-days.ts'

/**
 * The number of links that are read, merged and written together. All their stored values are in
 * memory during the merge.
 */
const CHUNK = 2000

/**
 * Thrown if links of a batch were deleted after it was prepared. The batch must be imported again
 * without them.
 */
export class DeletedLinksError extends Error {
  readonly links: ReadonlySet<number>

  constructor(links: ReadonlySet<number>) {
    super(`${links.size} links have been deleted`)
    this.links = links
  }
}

/**
 * Adds one batch to every table of clicks, in the caller's transaction. All importers write rows in
 * primary key order, so they can wait for each other without a deadlock. Raw clicks from before
 * `keepFrom` are counted but not stored.
 *
 * The update of the totals also excludes deleted links: a deletion removes the totals first, so one
 * of the two transactions waits for the other.
 *
 * @throws DeletedLinksError if totals are missing. The caller must then roll back.
 */
export async function addBatch(
  tx: Tx,
  { batch, rollup, labelIds, other, accountOf }: PreparedBatch,
  keepFrom: number,
): Promise<void> {
  // Nested loops process rows in key order, and therefore lock them in this order.
  await sql`set local enable_hashjoin = off; set local enable_mergejoin = off`.execute(tx)
  await addTotals(tx, rollup.totals)
  await addOrderChanges(tx, rollup.totals)
  const accounts = createAccountSums(accountOf)
  const firstClicks = new Uint8Array(rollup.grouped.clicks.at.length)
  await addLinks(tx, rollup.details, other, { accounts, firstClicks })
  const input = { labelIds, accountOf, firstClicks }
  await addRawClicks(tx, packRawClicks(rollup.grouped, input, keepFrom))
  const existing = new Set(rollup.totals.link)
  const [uncounted, programs] = [batch.uncounted, batch.programs].map((days) =>
    days.entries().filter(({ owner }) => existing.has(owner)),
  ) as [UncountedDay[], UncountedDay[]]
  await addUncountedDays(tx, uncounted)
  // Come last, because concurrent importers may update the same account row.
  await addAccountDays(tx, accounts.entries(), other)
  await addAccountUncountedDays(tx, [...uncounted, ...programs], accountOf)
}

async function addTotals(tx: Tx, { link, clicks, lastAt }: Rollup['totals']): Promise<void> {
  const added = sql<{ link_id: number; clicks: number; at: Date | null }>`
    (select * from unnest(${int8Array(link)}::bigint[], ${int8Array(clicks)}::bigint[],
       ${timestampArray(lastAt)}::timestamptz[]) n (link_id, clicks, at))`
  const { numUpdatedRows } = await tx
    .with(
      (cte) => cte('n').materialized(),
      () => added,
    )
    .updateTable('click_totals as t')
    .from('n')
    .set(({ eb, fn, ref }) => ({
      clicks: eb('t.clicks', '+', ref('n.clicks')),
      last_click_at: eb
        .case()
        .when('n.clicks', '>', 0)
        .then(fn<Date | null>('greatest', ['t.last_click_at', 'n.at']))
        .else(ref('t.last_click_at'))
        .end(),
    }))
    .whereRef('t.link_id', '=', 'n.link_id')
    .executeTakeFirstOrThrow()
  if (Number(numUpdatedRows) === link.length) return
  throw new DeletedLinksError(
    new Set(link).difference(new Set(await findLinksWithTotals(tx, link))),
  )
}

/**
 * Records that these links may have moved in the order by clicks. Adds only one row per batch, so
 * that imports stay cheap. `link-order.ts` updates the order later.
 */
async function addOrderChanges(tx: Tx, { link, clicks }: Rollup['totals']): Promise<void> {
  const clicked = link.filter((_, row) => (clicks[row] as number) > 0)
  if (clicked.length === 0) return
  const link_ids = sql<number[]>`${int8Array(clicked)}::bigint[]`
  await tx.insertInto('link_order_changes').values({ link_ids }).execute()
}

async function addRawClicks(
  tx: Tx,
  { accounts, links, days, clicks, blocks }: RawBlocks,
): Promise<void> {
  if (links.length === 0) return
  await tx
    .insertInto('clicks')
    .columns(['account_id', 'link_id', 'day', 'clicks', 'blocks'])
    .expression(
      sql`select * from unnest(${int8Array(accounts)}::bigint[], ${int8Array(links)}::bigint[],
        ${dateArray(days)}::date[], ${int4Array(clicks)}::integer[], ${blocks}::bytea[])`,
    )
    .execute()
}

/**
 * Adds the labels, days and visitors of a batch. Reads the stored values of its links, merges the
 * batch into them and writes them back. The next chunk of links is read while the current one is
 * merged. Rows are written in primary key order.
 *
 * The caller must have updated the links' totals. It therefore holds their row locks, and no other
 * importer can interfere.
 */
async function addLinks(
  tx: Tx,
  details: Details,
  other: number,
  results: BatchResults,
): Promise<void> {
  const count = details.link.length
  const chunkFrom = (from: number) => ({ from, to: Math.min(count, from + CHUNK) })
  let merged: Merged | undefined
  let next = writeThenRead(tx, details, undefined, chunkFrom(0))
  for (let from = 0; from < count; from += CHUNK) {
    const stored = await next
    // Writes the previous chunk and reads the next one during the merge below, which blocks this
    // thread.
    next = writeThenRead(tx, details, merged, chunkFrom(from + CHUNK))
    next.catch(() => {})
    if (stored) merged = merge(details, chunkFrom(from), stored, other, results)
  }
  await next
  if (merged) await write(tx, merged)
}

async function writeThenRead(
  tx: Tx,
  details: Details,
  merged: Merged | undefined,
  next: Range,
): Promise<Stored | undefined> {
  if (merged) await write(tx, merged)
  return next.from < next.to ? read(tx, details, next) : undefined
}

async function read(tx: Tx, details: Details, { from, to }: Range): Promise<Stored> {
  const links = details.link.subarray(from, to)
  const storedDetails = await readDetails(tx, links)
  const buckets = await readBuckets(
    tx,
    links,
    (index) => visitorsOf(details, from + index),
    storedDetails,
  )
  const first = details.dayStarts[from] as number
  const last = details.dayStarts[to] as number
  const dayLinks = details.dayLink.subarray(first, last)
  const days = await readDays(tx, dayLinks, details.days.day.subarray(first, last))
  return { ...storedDetails, buckets, ...days }
}

async function write(tx: Tx, { details, buckets, days }: Merged): Promise<void> {
  await writeDetails(tx, details)
  await writeBuckets(tx, buckets)
  await writeDays(tx, days)
}
