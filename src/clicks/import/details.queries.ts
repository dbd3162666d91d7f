import { sql } from 'kysely'
import { byteaArray, int4Array, int8Array } from '../../db/pg-binary.ts'
import type { Tx } from '../../db/transaction.ts'
import { firstIndex, type StoredValues, splitJoinedRows } from '../encoding/stored-values.ts'
import { joinedHeaders, joinedValues } from '../storage/joined-rows.queries.ts'
import { splitRows } from './days.queries.ts'
import type { Merged } from './merge.ts'
import { additionalBuckets, type Bucket, type StoredVisitors } from './merge-visitors.ts'

/**
 * The labels and visitors of links. The first bucket of visitors is stored in the link's own row.
 */
export type StoredDetails = Omit<StoredVisitors, 'buckets'> & {
  labels: StoredValues
  /** Is 1 for each link that has a row. */
  isStored: Uint8Array
}

/** Returns the stored details of links, in the order of `links`. */
export async function readDetails(tx: Tx, links: Float64Array): Promise<StoredDetails> {
  const row = await tx
    .selectFrom('click_details')
    .where('link_id', '=', sql<number>`any(${int8Array(links)}::bigint[])`)
    .select([
      joinedHeaders('link_id', 'length(labels)', 'length(hashes)', 'visitors').as('heads'),
      joinedValues('labels').as('labels'),
      joinedValues('hashes').as('hashes'),
    ])
    .executeTakeFirstOrThrow()
  const { values, numbers, isStored } = splitJoinedRows(
    row.heads,
    [row.labels, row.hashes],
    links.length,
    (link) => firstIndex(links, link),
  )
  return { labels: values[0], hashes: values[1], visitors: numbers, isStored }
}

/** Returns the additional buckets needed for these visitors, by link and bucket number. */
export async function readBuckets(
  tx: Tx,
  links: Float64Array,
  visitorsOf: (index: number) => Int32Array,
  { visitors }: StoredDetails,
): Promise<StoredVisitors['buckets']> {
  const [ids, numbers]: [number[], number[]] = [[], []]
  for (let index = 0; index < links.length; index += 1) {
    for (const bucket of additionalBuckets(visitors[index] as number, visitorsOf(index))) {
      ids.push(links[index] as number)
      numbers.push(bucket)
    }
  }
  const bucketsByLink = new Map<number, Map<number, Buffer>>()
  if (ids.length === 0) return bucketsByLink
  const requested = sql<{ link_id: number; bucket: number }>`
    unnest(${int8Array(ids)}::bigint[], ${int4Array(numbers)}::integer[])`
  const rows = await tx
    .selectFrom(requested.as<'requested'>(sql`requested (link_id, bucket)`))
    .innerJoin('click_visitors as v', (join) =>
      join.onRef('v.link_id', '=', 'requested.link_id').onRef('v.bucket', '=', 'requested.bucket'),
    )
    .select(['v.link_id', 'v.bucket', 'v.hashes'])
    .execute()
  for (const { link_id, bucket, hashes } of rows) {
    const linkBuckets = bucketsByLink.get(link_id)
    if (linkBuckets) linkBuckets.set(bucket, hashes)
    else bucketsByLink.set(link_id, new Map([[bucket, hashes]]))
  }
  return bucketsByLink
}

/**
 * Stores the labels and visitors of links, which must be in primary key order. Inserts new rows
 * without ON CONFLICT, which would double their cost.
 */
export async function writeDetails(tx: Tx, details: Merged['details']): Promise<void> {
  const { fresh, stored } = splitRows(details)
  if (fresh.links.length > 0) await storeDetails(tx, fresh, { mayConflict: false })
  if (stored.links.length > 0) await storeDetails(tx, stored, { mayConflict: true })
}

async function storeDetails(
  tx: Tx,
  { links, labels, visitors, hashes }: Omit<Merged['details'], 'isStored'>,
  { mayConflict }: { mayConflict: boolean },
): Promise<void> {
  await tx
    .insertInto('click_details')
    .columns(['link_id', 'labels', 'visitors', 'hashes'])
    .expression(
      sql`select * from unnest(${int8Array(links)}::bigint[], ${labels}::bytea[],
        ${int8Array(visitors)}::bigint[], ${hashes}::bytea[])`,
    )
    .$if(mayConflict, (query) =>
      query.onConflict((conflict) =>
        conflict.column('link_id').doUpdateSet(({ ref }) => ({
          labels: ref('excluded.labels'),
          visitors: ref('excluded.visitors'),
          hashes: ref('excluded.hashes'),
        })),
      ),
    )
    .execute()
}

/** Stores additional buckets of visitors. */
export async function writeBuckets(tx: Tx, buckets: Bucket[]): Promise<void> {
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
