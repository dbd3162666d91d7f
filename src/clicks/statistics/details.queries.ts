import { type Selectable, sql } from 'kysely'
import type { ClickDetailTable, ClickVisitorTable } from '../../db/schema.ts'
import type { Tx } from '../../db/transaction.ts'
import { addCounts } from '../encoding/label-counts.ts'
import { byteaArray, int4Array, int8Array } from '../encoding/pg-binary.ts'
import { addToSet, bucketsFor } from '../encoding/visitor-set.ts'
import { type DayEntry, dayEntries } from '../import/day-entries.ts'
import type { Rollup } from '../import/rollup.ts'

type Row = Omit<Selectable<ClickDetailTable>, 'link_id'>
type Bucket = Selectable<ClickVisitorTable>

/** Links of which one part is worked out before others get their turn. */
const SLICE = 2000
/** The bucket that stands in the link's own row. */
const FIRST = 0

/**
 * Adds clicks by label and visitors: reads what the links of a batch have, adds to it and writes it
 * back. Nobody comes between: whoever changes it has changed the totals of the same link before, and
 * holds that row. Rows are written in the order of their keys. Gives what is to be added to the days
 * of the links, which only now is known to the last visitor.
 */
export async function addDetails(
  tx: Tx,
  details: Rollup['details'],
  other: number,
  pause: () => Promise<void>,
): Promise<DayEntry[]> {
  const links = int8Array(details.map(({ link }) => link))
  const stored = await readRows(tx, links)
  const known = await readBuckets(tx, details, stored)
  const rows: Row[] = []
  const buckets: Bucket[] = []
  const days: DayEntry[] = []
  for (const [position, entry] of details.entries()) {
    const { link, labels, visitors } = entry
    if (position % SLICE === SLICE - 1) await pause()
    const row = stored.get(link)
    const set = addToSet(row?.visitors ?? 0, known.get(link) ?? NO_BUCKETS, visitors)
    const { size, changed } = set
    days.push(...dayEntries(entry, set.added))
    rows.push({
      labels: addCounts(row?.labels, labels, other),
      visitors: size,
      // Whoever comes first changes the first bucket.
      hashes: changed.get(FIRST) ?? (row as Row).hashes,
    })
    for (const [bucket, hashes] of changed) {
      if (bucket !== FIRST) buckets.push({ link_id: link, bucket, hashes })
    }
  }
  await writeRows(tx, links, rows)
  await writeBuckets(tx, buckets)
  return days
}

async function readRows(tx: Tx, links: Buffer): Promise<ReadonlyMap<number, Row>> {
  const rows = await tx
    .selectFrom('click_details')
    .select(['link_id', 'labels', 'visitors', 'hashes'])
    .where('link_id', '=', sql<number>`any(${links}::bigint[])`)
    .execute()
  return new Map(rows.map((row) => [row.link_id, row]))
}

/** The buckets that the batch's visitors concern, by link and number. */
async function readBuckets(
  tx: Tx,
  details: Rollup['details'],
  stored: ReadonlyMap<number, Row>,
): Promise<ReadonlyMap<number, Map<number, Buffer>>> {
  const found = new Map<number, Map<number, Buffer>>()
  const [links, buckets]: [number[], number[]] = [[], []]
  for (const { link, visitors } of details) {
    const row = stored.get(link)
    if (row) found.set(link, new Map([[FIRST, row.hashes]]))
    for (const bucket of bucketsFor(row?.visitors ?? 0, visitors)) {
      if (bucket === FIRST) continue
      links.push(link)
      buckets.push(bucket)
    }
  }
  if (links.length === 0) return found
  const wanted = sql<{ link_id: number; bucket: number }>`
    unnest(${int8Array(links)}::bigint[], ${int4Array(buckets)}::integer[])`
  const rows = await tx
    .selectFrom(wanted.as<'wanted'>(sql`wanted (link_id, bucket)`))
    .innerJoin('click_visitors as v', (join) =>
      join.onRef('v.link_id', '=', 'wanted.link_id').onRef('v.bucket', '=', 'wanted.bucket'),
    )
    .select(['v.link_id', 'v.bucket', 'v.hashes'])
    .execute()
  for (const { link_id, bucket, hashes } of rows) found.get(link_id)?.set(bucket, hashes)
  return found
}

async function writeRows(tx: Tx, links: Buffer, rows: readonly Row[]): Promise<void> {
  const labels = byteaArray(rows.map((row) => row.labels))
  const visitors = int8Array(rows.map((row) => row.visitors))
  const hashes = byteaArray(rows.map((row) => row.hashes))
  await tx
    .insertInto('click_details')
    .columns(['link_id', 'labels', 'visitors', 'hashes'])
    .expression(
      sql`select * from unnest(${links}::bigint[], ${labels}::bytea[], ${visitors}::bigint[],
        ${hashes}::bytea[])`,
    )
    .onConflict((conflict) =>
      conflict.column('link_id').doUpdateSet(({ ref }) => ({
        labels: ref('excluded.labels'),
        visitors: ref('excluded.visitors'),
        hashes: ref('excluded.hashes'),
      })),
    )
    .execute()
}

async function writeBuckets(tx: Tx, buckets: Bucket[]): Promise<void> {
  if (buckets.length === 0) return
  buckets.sort((a, b) => a.link_id - b.link_id || a.bucket - b.bucket)
  const links = int8Array(buckets.map(({ link_id }) => link_id))
  const numbers = int4Array(buckets.map(({ bucket }) => bucket))
  const hashes = byteaArray(buckets.map((bucket) => bucket.hashes))
  await tx
    .insertInto('click_visitors')
    .columns(['link_id', 'bucket', 'hashes'])
    .expression(
      sql`select * from unnest(${links}::bigint[], ${numbers}::integer[], ${hashes}::bytea[])`,
    )
    .onConflict((conflict) =>
      conflict
        .columns(['link_id', 'bucket'])
        .doUpdateSet(({ ref }) => ({ hashes: ref('excluded.hashes') })),
    )
    .execute()
}

const NO_BUCKETS: ReadonlyMap<number, Buffer> = new Map()
