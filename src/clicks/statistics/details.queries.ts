import type pg from 'pg'
import { addCounts } from '../encoding/label-counts.ts'
import { byteaArray, int4Array, int8Array } from '../encoding/pg-binary.ts'
import { addToSet, bucketsFor } from '../encoding/visitor-set.ts'
import type { Rollup } from '../import/rollup.ts'

type Row = { labels: Buffer; visitors: number; hashes: Buffer }
type Bucket = { link_id: number; bucket: number; hashes: Buffer }

/** Links of which one part is worked out before others get their turn. */
const SLICE = 2000
/** The bucket that stands in the link's own row. */
const FIRST = 0

/**
 * Adds clicks by label and visitors: reads what the links of a batch have, adds to it and writes it
 * back. Nobody comes between: whoever changes it has changed the totals of the same link before, and
 * holds that row. Rows are written in the order of their keys.
 */
export async function addDetails(
  client: pg.ClientBase,
  details: Rollup['details'],
  other: number,
  pause: () => Promise<void>,
): Promise<void> {
  const links = int8Array(details.map(({ link }) => link))
  const stored = await readRows(client, links)
  const known = await readBuckets(client, details, stored)
  const rows: Row[] = []
  const buckets: Bucket[] = []
  for (const [position, { link, labels, visitors }] of details.entries()) {
    if (position % SLICE === SLICE - 1) await pause()
    const row = stored.get(link)
    const { size, changed } = addToSet(row?.visitors ?? 0, known.get(link) ?? NO_BUCKETS, visitors)
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
  await writeRows(client, links, rows)
  await writeBuckets(client, buckets)
}

async function readRows(client: pg.ClientBase, links: Buffer): Promise<ReadonlyMap<number, Row>> {
  const { rows } = await client.query<Row & { link_id: number }>(
    'select link_id, labels, visitors, hashes from click_details where link_id = any($1::bigint[])',
    [links],
  )
  return new Map(rows.map((row) => [row.link_id, row]))
}

/** The buckets that the batch's visitors concern, by link and number. */
async function readBuckets(
  client: pg.ClientBase,
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
  const { rows } = await client.query<Bucket>(
    `select v.link_id, v.bucket, v.hashes
     from unnest($1::bigint[], $2::integer[]) wanted (link_id, bucket)
     join click_visitors v on v.link_id = wanted.link_id and v.bucket = wanted.bucket`,
    [int8Array(links), int4Array(buckets)],
  )
  for (const { link_id, bucket, hashes } of rows) found.get(link_id)?.set(bucket, hashes)
  return found
}

async function writeRows(
  client: pg.ClientBase,
  links: Buffer,
  rows: readonly Row[],
): Promise<void> {
  await client.query(
    `insert into click_details (link_id, labels, visitors, hashes)
     select * from unnest($1::bigint[], $2::bytea[], $3::bigint[], $4::bytea[])
     on conflict (link_id) do update set
       labels = excluded.labels, visitors = excluded.visitors, hashes = excluded.hashes`,
    [
      links,
      byteaArray(rows.map(({ labels }) => labels)),
      int8Array(rows.map(({ visitors }) => visitors)),
      byteaArray(rows.map(({ hashes }) => hashes)),
    ],
  )
}

async function writeBuckets(client: pg.ClientBase, buckets: Bucket[]): Promise<void> {
  if (buckets.length === 0) return
  buckets.sort((a, b) => a.link_id - b.link_id || a.bucket - b.bucket)
  await client.query(
    `insert into click_visitors (link_id, bucket, hashes)
     select * from unnest($1::bigint[], $2::integer[], $3::bytea[])
     on conflict (link_id, bucket) do update set hashes = excluded.hashes`,
    [
      int8Array(buckets.map(({ link_id }) => link_id)),
      int4Array(buckets.map(({ bucket }) => bucket)),
      byteaArray(buckets.map(({ hashes }) => hashes)),
    ],
  )
}

const NO_BUCKETS: ReadonlyMap<number, Buffer> = new Map()
