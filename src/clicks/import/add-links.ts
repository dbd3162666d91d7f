import type { Tx } from '../../db/transaction.ts'
import type { Range } from '../encoding/packed-counts.ts'
import { readDays, writeDays } from './days.queries.ts'
import { readBuckets, readDetails, writeBuckets, writeDetails } from './details.queries.ts'
import { type BatchResults, type Merged, merge, type Stored } from './merge.ts'
import { visitorsOf } from './merge-visitors.ts'
import type { Details } from './rollup.ts'

/**
 * The number of links that are read, merged and written together. All their stored values are in
 * memory during the merge.
 */
const CHUNK = 2000

/**
 * Adds the labels, days and visitors of a batch. Reads the stored values of its links, merges the
 * batch into them and writes them back. The next chunk of links is read while the current one is
 * merged. Rows are written in primary key order.
 *
 * The caller must have updated the links' totals. It therefore holds their row locks, and no other
 * importer can interfere.
 */
export async function addLinks(
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
