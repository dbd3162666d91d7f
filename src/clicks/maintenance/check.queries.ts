import { sql } from 'kysely'
import { int8Array } from '../../db/pg-binary.ts'
import type { Db } from '../../db/pool.ts'
import { inTransaction, SNAPSHOT, type Tx } from '../../db/transaction.ts'
import { joinedNumbers, joinedValues, splitColumns } from '../storage/joined-rows.queries.ts'

/** All stored clicks of a range of links, from one snapshot. */
export type StoredRange = Awaited<ReturnType<typeof readRange>>
/** The days of links in a range, with the packed hours and labels of all of them. */
export type StoredDays = StoredRange['days']

/**
 * The number of links or days per range. A packed day takes up to 35 kB, so a range of this size
 * fits in memory.
 */
const RANGE_SIZE = 5000
const LAST_ID = Number.MAX_SAFE_INTEGER

const CLICKS = { link: 'link_id', clicks: 'clicks' }
const DETAILS = {
  link: 'link_id',
  visitors: 'visitors',
  labelBytes: 'length(labels)',
  hashBytes: 'length(hashes)',
}
const DAYS = {
  link: 'link_id',
  day: `day - '1970-01-01'`,
  clicks: 'clicks',
  visitors: 'visitors',
  hourBytes: 'length(hours)',
  labelBytes: 'length(labels)',
}
const LINK = { link: 'link_id' }
const BUCKETS = { link: 'link_id', bytes: 'bytes' }

/**
 * Yields the stored values of all links, one range of ids at a time. Tables are not joined, so that
 * each machine of a cluster reads its own tables. Each range is returned as a few long values,
 * which the driver reads ten times faster than rows. A range ends at a link with totals or days, or
 * is open-ended, so that rows without totals or days also belong to a range.
 */
export async function* readStoredRanges(db: Db): AsyncGenerator<StoredRange, void> {
  for (let last = 0; last < LAST_ID; ) {
    const range = await inTransaction(db, (tx) => readRange(tx, last), SNAPSHOT)
    yield range
    last = range.end
  }
}

async function readRange(tx: Tx, after: number) {
  const end = Math.min(
    await findEnd(tx, 'click_totals', after),
    await findEnd(tx, 'click_days', after),
  )
  const within = sql<boolean>`link_id > ${after}::bigint and link_id <= ${end}::bigint`
  const range = {
    end,
    since: await findOldestDay(tx),
    totals: await readClicks(tx, 'click_totals', within),
    details: await readDetails(tx, within),
    days: await readDays(tx, within),
    buckets: await readBuckets(tx, within),
    raw: await countRawClicks(tx, within),
    /** Included because imported clicks have no raw clicks. */
    imports: await readClicks(tx, 'click_imports', within),
    /** Links with visits that do not count. */
    uncounted: await readUncountedLinks(tx, within),
  }
  const { totals, details, days, buckets, raw, imports, uncounted } = range
  const links = new Set<number>()
  for (const { link } of [totals, details, days, buckets, raw, imports, uncounted]) {
    for (const id of link) links.add(id)
  }
  return {
    ...range,
    missing: await findMissing(tx, [...links], after, end),
    /** Deleted links that still have stored clicks. */
    removed: await findRemoved(tx, within),
  }
}

/** Returns the last link of the range that starts after a link. */
async function findEnd(
  tx: Tx,
  table: 'click_totals' | 'click_days',
  after: number,
): Promise<number> {
  const row = await tx
    .selectFrom(table)
    .select('link_id')
    .where('link_id', '>', after)
    .orderBy('link_id')
    .offset(RANGE_SIZE - 1)
    .limit(1)
    .executeTakeFirst()
  return row?.link_id ?? LAST_ID
}

/** Returns the first day with raw clicks, in days since 1970. */
async function findOldestDay(tx: Tx): Promise<number | null> {
  const { rows } = await sql<{ since: number | null }>`
    select min(substring(pg_get_expr(c.relpartbound, c.oid) from '''([0-9-]+)')::date
      - '1970-01-01') as since
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'clicks'::regclass`.execute(tx)
  return rows[0]?.since ?? null
}

type Condition = ReturnType<typeof sql<boolean>>

async function readClicks(tx: Tx, table: 'click_totals' | 'click_imports', within: Condition) {
  const { numbers } = await tx
    .selectFrom(table)
    .select(joinedNumbers(CLICKS).as('numbers'))
    .where(within)
    .executeTakeFirstOrThrow()
  return splitColumns(numbers, CLICKS)
}

async function readDetails(tx: Tx, within: Condition) {
  const { numbers, labels } = await tx
    .selectFrom('click_details')
    .select([joinedNumbers(DETAILS).as('numbers'), joinedValues('labels').as('labels')])
    .where(within)
    .executeTakeFirstOrThrow()
  return { ...splitColumns(numbers, DETAILS), labels }
}

async function readDays(tx: Tx, within: Condition) {
  const { numbers, hours, labels } = await tx
    .selectFrom('click_days')
    .select([joinedNumbers(DAYS).as('numbers'), joinedValues('hours').as('hours')])
    .select(joinedValues('labels').as('labels'))
    .where(within)
    .executeTakeFirstOrThrow()
  return { ...splitColumns(numbers, DAYS), hours, labels }
}

async function readUncountedLinks(tx: Tx, within: Condition) {
  const { rows } = await sql<{ numbers: Buffer }>`
    select ${joinedNumbers(LINK)} as numbers from (
      select distinct link_id from uncounted_days where ${within}
    ) links`.execute(tx)
  return splitColumns(rows[0]?.numbers ?? NO_BYTES, LINK)
}

async function readBuckets(tx: Tx, within: Condition) {
  const { rows } = await sql<{ numbers: Buffer }>`
    select ${joinedNumbers(BUCKETS)} as numbers from (
      select link_id, sum(length(hashes)) as bytes from click_visitors where ${within}
      group by link_id
    ) sets`.execute(tx)
  return splitColumns(rows[0]?.numbers ?? NO_BYTES, BUCKETS)
}

async function countRawClicks(tx: Tx, within: Condition) {
  const { rows } = await sql<{ numbers: Buffer }>`
    select ${joinedNumbers(CLICKS)} as numbers from (
      select link_id, sum(clicks) as clicks from clicks where ${within}
      group by link_id
    ) counted`.execute(tx)
  return splitColumns(rows[0]?.numbers ?? NO_BYTES, CLICKS)
}

const NO_BYTES = Buffer.alloc(0)

/** Returns the links in a range that do not exist. */
async function findMissing(
  tx: Tx,
  linkIds: readonly number[],
  after: number,
  end: number,
): Promise<ReadonlySet<number>> {
  const { rows } = await sql<{ id: number }>`
    select id from unnest(${int8Array(linkIds)}::bigint[]) requested (id) where not exists (
      select from links
      where links.id = requested.id and links.id > ${after}::bigint and links.id <= ${end}::bigint
    )`.execute(tx)
  return new Set(rows.map(({ id }) => id))
}

async function findRemoved(tx: Tx, within: Condition): Promise<ReadonlySet<number>> {
  const rows = await tx.selectFrom('removed_links').select('link_id').where(within).execute()
  return new Set(rows.map(({ link_id }) => link_id))
}
