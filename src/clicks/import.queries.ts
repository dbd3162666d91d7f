import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import type { Batch } from './batch.ts'
import { addCounts } from './label-counts.ts'
import {
  bigintArray,
  byteaArray,
  copyFile,
  dateArray,
  int8Array,
  rowLayout,
  setInt64,
  timestampArray,
  toMicroseconds,
} from './pg-binary.ts'
import type { PreparedBatch } from './prepare.ts'
import type { Rollup } from './rollup.ts'

/** Links of a batch were deleted after it had been prepared: it has to be done without them. */
export class LinksGone extends Error {
  readonly links: ReadonlySet<number>

  constructor(links: ReadonlySet<number>) {
    super(`${links.size} links have been deleted`)
    this.links = links
  }
}

/**
 * Adds one batch to every click-side table, within the caller's transaction. Rows are written in the
 * order of their keys, the same in every importer, so that importers wait for each other but never
 * in a circle. Raw clicks from before `keepFrom` are counted, but not stored.
 *
 * The update of the totals is also what keeps deleted links out: whoever deletes a link deletes its
 * totals first, and so waits for this transaction or is waited for.
 *
 * @throws LinksGone if totals are missing; the transaction has to be rolled back then.
 */
export async function addBatch(
  client: pg.ClientBase,
  { batch, rollup, labelIds, other }: PreparedBatch,
  keepFrom: number,
  pause: () => Promise<void>,
): Promise<void> {
  // Joins by nested loops keep to the order of the keys, in which rows are locked.
  await client.query('set local enable_hashjoin = off; set local enable_mergejoin = off')
  const fresh = await addVisitors(client, rollup.visitors)
  await addTotals(client, rollup.totals, fresh)
  await addLabels(client, rollup.labels, other, pause)
  await addDays(client, rollup.days)
  await addRows(client, batch, rollup.rows, labelIds, keepFrom)
}

/** Gives the number of visitors that a link has not had before, by link. */
async function addVisitors(
  client: pg.ClientBase,
  visitors: Rollup['visitors'],
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await client.query<{ links: string | null; counts: string | null }>(
    `with fresh as (
       insert into click_visitors (link_id, visitor)
       select * from unnest($1::bigint[], $2::bigint[])
       on conflict do nothing returning link_id
     ), counted as (
       select link_id, count(*) as visitors from fresh group by link_id
     )
     select string_agg(link_id::text, ',') as links, string_agg(visitors::text, ',') as counts
     from counted`,
    [int8Array(visitors.link), bigintArray(visitors.visitor)],
  )
  const counts = rows[0]?.counts?.split(',') ?? []
  const links = rows[0]?.links?.split(',') ?? []
  return new Map(links.map((link, index) => [Number(link), Number(counts[index])]))
}

async function addTotals(
  client: pg.ClientBase,
  { link, clicks, lastAt }: Rollup['totals'],
  visitors: ReadonlyMap<number, number>,
): Promise<void> {
  const { rows } = await client.query<{ count: number; links: string | null }>(
    `with n as materialized (
       select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::timestamptz[])
         n (link_id, clicks, visitors, at)
     ), written as (
       update click_totals t set
         clicks = t.clicks + n.clicks,
         visitors = t.visitors + n.visitors,
         last_click_at = case when n.clicks > 0
           then greatest(t.last_click_at, n.at) else t.last_click_at end
       from n where t.link_id = n.link_id returning t.link_id
     )
     select count(*), case when count(*) < $5 then string_agg(link_id::text, ',') end as links
     from written`,
    [
      int8Array(link),
      int8Array(clicks),
      int8Array(link.map((id) => visitors.get(id) ?? 0)),
      timestampArray(lastAt),
      link.length,
    ],
  )
  if (rows[0]?.count === link.length) return
  const written = new Set(rows[0]?.links?.split(',').map(Number))
  throw new LinksGone(new Set(link).difference(written))
}

/**
 * Reads the counts of every link, adds to them and writes them back. Nobody comes between: whoever
 * changes them has changed the totals of the same link before, and holds that row.
 */
async function addLabels(
  client: pg.ClientBase,
  { link, counts }: Rollup['labels'],
  other: number,
  pause: () => Promise<void>,
): Promise<void> {
  const links = int8Array(link)
  const { rows } = await client.query<{ link_id: number; counts: Buffer }>(
    'select link_id, counts from click_labels where link_id = any($1::bigint[])',
    [links],
  )
  const stored = new Map(rows.map((row) => [row.link_id, row.counts]))
  const sums: Buffer[] = []
  for (const [place, added] of counts.entries()) {
    if (place % MERGE_SLICE === MERGE_SLICE - 1) await pause()
    sums.push(addCounts(stored.get(link[place] as number), added, other))
  }
  await client.query(
    `insert into click_labels (link_id, counts) select * from unnest($1::bigint[], $2::bytea[])
     on conflict (link_id) do update set counts = excluded.counts`,
    [links, byteaArray(sums)],
  )
}

async function addDays(client: pg.ClientBase, days: Rollup['days']): Promise<void> {
  await client.query(
    `insert into click_days as d (link_id, day, clicks)
     select * from unnest($1::bigint[], $2::date[], $3::bigint[])
     on conflict (link_id, day) do update set clicks = d.clicks + excluded.clicks`,
    [int8Array(days.link), dateArray(days.day), int8Array(days.clicks)],
  )
}

/** The raw clicks, without those of months that are not kept any more. */
async function addRows(
  client: pg.ClientBase,
  { columns }: Batch,
  order: Uint32Array,
  labelIds: Int32Array,
  keepFrom: number,
): Promise<void> {
  const rows = order.filter((row) => (columns.at[row] as number) >= keepFrom)
  if (rows.length === 0) return
  const [link, at, visitor, country, referrer, browser, os, device, crawler] = ROW.places
  const labels = [
    [country, columns.country],
    [referrer, columns.referrer],
    [browser, columns.browser],
    [os, columns.os],
  ] as const
  const file = copyFile(ROW, rows.length, (view, offset, index) => {
    const row = rows[index] as number
    setInt64(view, offset + link, columns.link[row] as number)
    setInt64(view, offset + at, toMicroseconds(columns.at[row] as number))
    view.setBigInt64(offset + visitor, columns.visitor[row] as bigint)
    for (const [place, column] of labels) {
      view.setInt32(offset + place, labelIds[column[row] as number] as number)
    }
    view.setInt16(offset + device, columns.device[row] as number)
    view.setInt8(offset + crawler, columns.crawler[row] ? 1 : 0)
  })
  const copy = client.query(copyFrom(COPY))
  await pipeline(Readable.from([file]), copy)
}

const MERGE_SLICE = 2000

const COPY = `copy clicks (link_id, at, visitor, country, referrer, browser, os, device, crawler)
  from stdin (format binary)`

/** Bytes of the columns of a raw click, in their order. */
const ROW = rowLayout([8, 8, 8, 4, 4, 4, 4, 2, 1])
