import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import {
  copyFile,
  dateArray,
  int8Array,
  rowLayout,
  setInt64,
  timestampArray,
  toMicroseconds,
} from '../encoding/pg-binary.ts'
import { addDetails } from '../statistics/details.queries.ts'
import type { Batch } from './batch.ts'
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
  // First what locks nothing: whoever deletes a link does not wait for it.
  await addRows(client, batch, rollup.rows, labelIds, keepFrom)
  // Joins by nested loops keep to the order of the keys, in which rows are locked.
  await client.query('set local enable_hashjoin = off; set local enable_mergejoin = off')
  await addTotals(client, rollup.totals)
  await addOrderChanges(client, rollup.totals)
  await addDetails(client, rollup.details, other, pause)
  await addDays(client, rollup.days)
}

async function addTotals(
  client: pg.ClientBase,
  { link, clicks, lastAt }: Rollup['totals'],
): Promise<void> {
  const { rowCount } = await client.query(
    `with n as materialized (
       select * from unnest($1::bigint[], $2::bigint[], $3::timestamptz[]) n (link_id, clicks, at)
     )
     update click_totals t set
       clicks = t.clicks + n.clicks,
       last_click_at = case when n.clicks > 0
         then greatest(t.last_click_at, n.at) else t.last_click_at end
     from n where t.link_id = n.link_id`,
    [int8Array(link), int8Array(clicks), timestampArray(lastAt)],
  )
  if (rowCount === link.length) return
  const { rows } = await client.query<{ link_id: number }>(
    'select link_id from click_totals where link_id = any($1::bigint[])',
    [int8Array(link)],
  )
  throw new LinksGone(new Set(link).difference(new Set(rows.map(({ link_id }) => link_id))))
}

/**
 * Remembers that these links may have another place in the order by clicks from now on: one row for
 * the whole batch, which is all that an import pays for that order. `link-order.ts` does the rest.
 */
async function addOrderChanges(
  client: pg.ClientBase,
  { link, clicks }: Rollup['totals'],
): Promise<void> {
  const clicked = link.filter((_, place) => (clicks[place] as number) > 0)
  if (clicked.length === 0) return
  await client.query('insert into link_order_changes (link_ids) values ($1::bigint[])', [
    int8Array(clicked),
  ])
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
  const [link, at, visitor, country, referrer, browser, os, device, crawler] = ROW.offsets
  const file = copyFile(ROW, rows.length, (view, offset, index) => {
    const row = rows[index] as number
    setInt64(view, offset + link, columns.link[row] as number)
    setInt64(view, offset + at, toMicroseconds(columns.at[row] as number))
    view.setInt32(offset + visitor, columns.visitorHigh[row] as number)
    view.setInt32(offset + visitor + 4, columns.visitorLow[row] as number)
    view.setInt32(offset + country, labelIds[columns.country[row] as number] as number)
    view.setInt32(offset + referrer, labelIds[columns.referrer[row] as number] as number)
    view.setInt32(offset + browser, labelIds[columns.browser[row] as number] as number)
    view.setInt32(offset + os, labelIds[columns.os[row] as number] as number)
    view.setInt16(offset + device, columns.device[row] as number)
    view.setInt8(offset + crawler, columns.crawler[row] ? 1 : 0)
  })
  const copy = client.query(copyFrom(COPY))
  await pipeline(Readable.from([file]), copy)
}

const COPY = `copy clicks (link_id, at, visitor, country, referrer, browser, os, device, crawler)
  from stdin (format binary)`

/** Bytes of the columns of a raw click, in their order. */
const ROW = rowLayout([8, 8, 8, 4, 4, 4, 4, 2, 1])
