import { type Expression, sql } from 'kysely'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'
import { KIND, labelKey } from '../encoding/label-counts.ts'

/** A stored day of a link. */
export type StoredDay = {
  /** Days since 1970. */
  day: number
  clicks: number
  visitors: number | null
  hours: Buffer | null
  labels: Buffer | null
}

/** What the raw clicks of one day of a link say. */
export type RawDay = {
  clicks: number
  labels: Map<number, number>
  hours: Map<number, number>
  /** Visitors by the hour in which they came for the first time that is still known. */
  newcomers: Map<number, number>
}

/** Which links are still to be brought along. */
export type Remaining = { from: number; to: number }

/** Takes the turn to bring links along; undefined when none are left, or while another has it. */
export function takeTurn(tx: Tx): Promise<Remaining | undefined> {
  return remaining(tx).forUpdate().skipLocked().executeTakeFirst()
}

/** Remembers the link that was brought along last. */
export async function moveOn(tx: Tx, linkId: number): Promise<void> {
  await tx.updateTable('day_backfill').set({ link_id: linkId }).execute()
}

/** How many links are still to be brought along. */
export async function countRemaining(db: Db): Promise<number> {
  const left = await remaining(db).executeTakeFirst()
  if (!left) return 0
  const { count } = await db
    .selectFrom('click_totals')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('link_id', '>', left.from)
    .where('link_id', '<=', left.to)
    .executeTakeFirstOrThrow()
  return count
}

function remaining(db: Db) {
  return db
    .selectFrom('day_backfill')
    .select(['link_id as from', 'last_link_id as to'])
    .whereRef('link_id', '<', 'last_link_id')
}

/** The next links that have clicks, locked as an import locks them: nobody adds to them meanwhile. */
export async function lockLinks(tx: Tx, { from, to }: Remaining, limit: number): Promise<number[]> {
  const rows = await tx
    .selectFrom('click_totals')
    .select('link_id')
    .where('link_id', '>', from)
    .where('link_id', '<=', to)
    .orderBy('link_id')
    .limit(limit)
    .forUpdate()
    .execute()
  return rows.map(({ link_id }) => link_id)
}

/** A link's days in their order, and how many visitors it has had. */
export async function readLink(
  tx: Tx,
  linkId: number,
): Promise<{ days: StoredDay[]; visitors: number }> {
  const days = await tx
    .selectFrom('click_days')
    .select(['clicks', 'visitors', 'hours', 'labels'])
    .select(({ ref }) => sql<number>`${ref('click_days.day')} - date '1970-01-01'`.as('since'))
    .where('link_id', '=', linkId)
    .orderBy('day')
    .execute()
  const details = await tx
    .selectFrom('click_details')
    .select('visitors')
    .where('link_id', '=', linkId)
    .executeTakeFirst()
  return {
    days: days.map(({ since, ...row }) => ({ day: since, ...row })),
    visitors: details?.visitors ?? 0,
  }
}

type RawRow = Record<'day' | 'count', number> &
  Record<'hour' | 'country' | 'referrer' | 'browser' | 'os' | 'device' | 'language', number | null>

/** The raw clicks of a link, added up by day: all that is read of them, in two passes. */
export async function readRawDays(tx: Tx, linkId: number): Promise<ReadonlyMap<number, RawDay>> {
  const days = new Map<number, RawDay>()
  const people = tx
    .selectFrom('clicks')
    .select(['country', 'referrer', 'browser', 'os', 'device'])
    .select(({ fn, ref, val }) => [
      dayOf(ref('at')).as('day'),
      hourOf(ref('at')).as('hour'),
      fn.coalesce('language', val(0)).as('language'),
    ])
    .where('link_id', '=', linkId)
    .where('crawler', '=', false)
    .as('c')
  const counted = await sql<RawRow>`
    select day, hour, country, referrer, browser, os, device, language, count(*) from ${people}
    group by grouping sets ((day, hour), (day, country), (day, referrer), (day, browser), (day, os),
      (day, device), (day, language))`.execute(tx)
  for (const row of counted.rows) {
    const day = ensure(days, row.day)
    if (row.hour !== null) {
      day.hours.set(row.hour, row.count)
      day.clicks += row.count
    }
    for (const kind of ['country', 'referrer', 'browser', 'os', 'device', 'language'] as const) {
      const label = row[kind]
      if (label !== null) day.labels.set(labelKey(KIND[kind], label), row.count)
    }
  }
  const first = await tx
    .selectFrom(
      tx
        .selectFrom('clicks')
        .select(({ fn }) => fn.min('at').as('first'))
        .where('link_id', '=', linkId)
        .where('crawler', '=', false)
        .groupBy('visitor')
        .as('v'),
    )
    .select(({ fn, ref }) => [
      dayOf(ref('first')).as('day'),
      hourOf(ref('first')).as('hour'),
      fn.countAll<number>().as('count'),
    ])
    .groupBy(['day', 'hour'])
    .execute()
  for (const { day, hour, count } of first) ensure(days, day).newcomers.set(hour, count)
  return days
}

function dayOf(at: Expression<Date>) {
  return sql<number>`floor(extract(epoch from ${at}) / 86400)::integer`
}

function hourOf(at: Expression<Date>) {
  return sql<number>`floor(extract(epoch from ${at}) / 3600)::integer % 24`
}

function ensure(days: Map<number, RawDay>, day: number): RawDay {
  const known = days.get(day)
  if (known) return known
  const fresh = { clicks: 0, labels: new Map(), hours: new Map(), newcomers: new Map() }
  days.set(day, fresh)
  return fresh
}
