import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { KIND, MAX_REFERRERS } from './batch.ts'
import {
  bigintArray,
  copyFile,
  dateArray,
  int4Array,
  int8Array,
  setInt64,
  timestampArray,
  toMicroseconds,
} from './pg-binary.ts'
import type { PreparedBatch } from './prepare.ts'
import { divertReferrers, type LabelCounts, type Rollup, referrerBound, rollUp } from './rollup.ts'

/**
 * Adds one batch to every click-side table, within the caller's transaction. Rows are written in the
 * order of their keys, the same in every importer, so that importers wait for each other but never
 * in a circle. A link that is being deleted is waited for, and its clicks are dropped. Raw clicks
 * from before `keepFrom` are counted, but not stored.
 */
export async function addBatch(
  client: pg.ClientBase,
  prepared: PreparedBatch,
  keepFrom: number,
  pause: () => Promise<void>,
): Promise<void> {
  const links = [...new Set(prepared.batch.columns.link)].filter((id) => prepared.owners.has(id))
  const alive = await lockLinks(client, links)
  const rollup =
    alive.size === links.length
      ? prepared.rollup
      : await rollUp(prepared.batch, prepared.labelIds, alive, pause)
  if (rollup.totals.link.length > 0) {
    const crowded = await addTotals(client, rollup, prepared.owners)
    const labels = crowded.length
      ? await divertSurplus(client, rollup.labels, crowded, prepared.other)
      : rollup.labels
    await addDays(client, rollup.days)
    await addLabels(client, labels)
  }
  await addRows(client, prepared, alive, keepFrom)
}

/** Keeps the links from being deleted before the transaction ends; gives those that still exist. */
async function lockLinks(
  client: pg.ClientBase,
  links: number[],
): Promise<{ size: number; has(id: number): boolean }> {
  const sorted = int8Array(Float64Array.from(links).sort())
  const { rows } = await client.query<{ missing: number[] | null }>(
    `with locked as materialized (
       select id from links where id = any($1::bigint[]) order by id for key share
     )
     select array_agg(id::text) as missing from unnest($1::bigint[]) id
     where id not in (select id from locked)`,
    [sorted],
  )
  const missing = new Set(rows[0]?.missing?.map(Number))
  const alive = new Set(links.filter((id) => !missing.has(id)))
  return alive
}

/** Gives the links that may have got more referrers than they have room for. */
async function addTotals(
  client: pg.ClientBase,
  { totals, visitors }: Rollup,
  owners: PreparedBatch['owners'],
): Promise<{ link: number; full: boolean }[]> {
  const { rows } = await client.query<{ link_id: number; full: boolean }>(
    `with fresh as (
       insert into click_visitors (link_id, visitor)
       select * from unnest($1::bigint[], $2::bigint[])
       on conflict do nothing returning link_id
     ), counted as materialized (
       select link_id, count(*) as visitors from fresh group by link_id
     ), written as (
       insert into click_totals as t
         (link_id, account_id, listed, clicks, visitors, referrers, last_click_at)
       select n.link_id, n.account_id, n.listed, n.clicks, coalesce(c.visitors, 0), n.referrers, n.at
       from unnest($3::bigint[], $4::bigint[], $5::boolean[], $6::bigint[], $7::integer[],
                   $8::timestamptz[]) n (link_id, account_id, listed, clicks, referrers, at)
       left join counted c using (link_id)
       order by n.link_id
       on conflict (link_id) do update set
         clicks = t.clicks + excluded.clicks,
         visitors = t.visitors + excluded.visitors,
         referrers = case
           when t.referrers = $9 then t.referrers
           when t.referrers + excluded.referrers = $9 then $9 + 1
           else t.referrers + excluded.referrers end,
         last_click_at = greatest(t.last_click_at, excluded.last_click_at)
       returning link_id, referrers
     )
     select link_id, referrers = $9 as full from written where referrers >= $9`,
    [
      int8Array(visitors.link),
      bigintArray(visitors.visitor),
      int8Array(totals.link),
      int8Array(totals.link.map((id) => owners.get(id)?.account ?? 0)),
      totals.link.map((id) => owners.get(id)?.listed ?? false),
      int8Array(totals.clicks),
      int4Array(totals.referrers.map(referrerBound)),
      timestampArray(totals.lastAt),
      MAX_REFERRERS,
    ],
  )
  return rows.map(({ link_id, full }) => ({ link: link_id, full }))
}

/**
 * Counts what goes beyond a link's room for referrers under one label. `click_totals.referrers` is
 * the upper bound that tells when to look here: it is made exact, and stays so once it is full.
 */
async function divertSurplus(
  client: pg.ClientBase,
  labels: LabelCounts,
  crowded: readonly { link: number; full: boolean }[],
  other: number,
): Promise<LabelCounts> {
  const open = crowded.filter(({ full }) => !full).map(({ link }) => link)
  const counted = await countReferrers(client, open, other)
  const room = new Map(crowded.map(({ link }) => [link, 0]))
  for (const link of open) room.set(link, Math.max(0, MAX_REFERRERS - (counted.get(link) ?? 0)))
  const known = await knownReferrers(client, labels, room)
  const { labels: diverted, added } = divertReferrers(
    labels,
    other,
    (link) => room.get(link),
    (link, label) => known.has(`${link} ${label}`),
  )
  await client.query(
    `update click_totals t set referrers = n.referrers
     from unnest($1::bigint[], $2::integer[]) n (link_id, referrers) where t.link_id = n.link_id`,
    [int8Array(open), int4Array(open.map((id) => (counted.get(id) ?? 0) + (added.get(id) ?? 0)))],
  )
  return diverted
}

async function countReferrers(
  client: pg.ClientBase,
  links: readonly number[],
  other: number,
): Promise<ReadonlyMap<number, number>> {
  const { rows } = await client.query<{ link_id: number; count: number }>(
    `select link_id, count(*) from click_labels
     where link_id = any($1::bigint[]) and kind = $2 and label_id <> $3 group by link_id`,
    [int8Array(links), KIND.referrer, other],
  )
  return new Map(rows.map(({ link_id, count }) => [link_id, count]))
}

async function knownReferrers(
  client: pg.ClientBase,
  labels: LabelCounts,
  crowded: ReadonlyMap<number, number>,
): Promise<ReadonlySet<string>> {
  const asked = [...labels.link.keys()].filter(
    (row) => labels.kind[row] === KIND.referrer && crowded.has(labels.link[row] ?? 0),
  )
  const { rows } = await client.query<{ link_id: number; label_id: number }>(
    `select l.link_id, l.label_id
     from unnest($1::bigint[], $2::integer[]) n (link_id, label_id)
     join click_labels l on l.link_id = n.link_id and l.kind = $3 and l.label_id = n.label_id`,
    [
      int8Array(asked.map((row) => labels.link[row] ?? 0)),
      int4Array(asked.map((row) => labels.label[row] ?? 0)),
      KIND.referrer,
    ],
  )
  return new Set(rows.map(({ link_id, label_id }) => `${link_id} ${label_id}`))
}

async function addDays(client: pg.ClientBase, days: Rollup['days']): Promise<void> {
  await client.query(
    `insert into click_days as d (link_id, day, clicks)
     select * from unnest($1::bigint[], $2::date[], $3::bigint[])
     on conflict (link_id, day) do update set clicks = d.clicks + excluded.clicks`,
    [int8Array(days.link), dateArray(days.day), int8Array(days.clicks)],
  )
}

async function addLabels(client: pg.ClientBase, labels: LabelCounts): Promise<void> {
  await client.query(
    `insert into click_labels as l (link_id, kind, label_id, clicks)
     select * from unnest($1::bigint[], $2::integer[], $3::integer[], $4::bigint[])
     on conflict (link_id, kind, label_id) do update set clicks = l.clicks + excluded.clicks`,
    [
      int8Array(labels.link),
      int4Array(labels.kind),
      int4Array(labels.label),
      int8Array(labels.clicks),
    ],
  )
}

/** The raw clicks, crawlers included, without those of months that are not kept any more. */
async function addRows(
  client: pg.ClientBase,
  { batch: { columns }, labelIds }: PreparedBatch,
  alive: { has(id: number): boolean },
  keepFrom: number,
): Promise<void> {
  const rows = [...columns.link.keys()].filter(
    (row) => alive.has(columns.link[row] ?? 0) && (columns.at[row] ?? 0) >= keepFrom,
  )
  if (rows.length === 0) return
  const file = copyFile(ROW_WIDTH, rows.length, (view, offset, index) => {
    const row = rows[index] ?? 0
    view.setInt16(offset, 9)
    let at = offset + 2
    const field = (width: number) => {
      view.setInt32(at, width)
      at += 4 + width
      return at - width
    }
    setInt64(view, field(8), columns.link[row] ?? 0)
    setInt64(view, field(8), toMicroseconds(columns.at[row] ?? 0))
    view.setBigInt64(field(8), columns.visitor[row] ?? 0n)
    for (const column of [columns.country, columns.referrer, columns.browser, columns.os]) {
      view.setInt32(field(4), labelIds[column[row] ?? 0] ?? 0)
    }
    view.setInt16(field(2), columns.device[row] ?? 0)
    view.setInt8(field(1), columns.crawler[row] ? 1 : 0)
  })
  const copy = client.query(copyFrom(COPY))
  await pipeline(Readable.from([file]), copy)
}

const COPY = `copy clicks (link_id, at, visitor, country, referrer, browser, os, device, crawler)
  from stdin (format binary)`

/** Bytes of one raw click: the number of fields, a length before each, and their values. */
const ROW_WIDTH = 2 + 9 * 4 + 3 * 8 + 4 * 4 + 2 + 1
