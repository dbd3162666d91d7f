import { addCounts, toCounts, toLabelKey } from '../src/clicks/encoding/label-counts.ts'
import { KIND } from '../src/clicks/encoding/label-kinds.ts'
import { NEW_VISITORS_OFFSET } from '../src/clicks/encoding/packed-counts.ts'
import type { ConnectionPool } from '../src/db/connection-pool.ts'

/** The number of labels of each kind on a busy day. */
const LABELS = {
  country: 120,
  referrer: 400,
  browser: 40,
  os: 60,
  device: 4,
  language: 40,
} as const
/** The clicks of the measured link, spread evenly over `DAYS` days. */
export const CLICKS = 10_000_000
export const DAYS = 365

type FillDaysOptions = {
  link: number
  account: number
  links: number
  /** Days on which each of the account's links was clicked. */
  clickedDaysPerLink?: number
}

/**
 * Inserts daily statistics as the importer stores them: ten million clicks for one link, and the same
 * number for all other links together.
 */
export async function fillDays(
  pool: ConnectionPool,
  { link, account, links, clickedDaysPerLink = 20 }: FillDaysOptions,
): Promise<void> {
  const perDay = Math.round(CLICKS / DAYS)
  const labels = addCounts(undefined, toCounts(await createLabelSums(pool, perDay)), 0)
  const hours = addCounts(undefined, toCounts(createHourSums(perDay)), 0)
  await pool.query(
    `insert into click_days (link_id, day, clicks, visitors, hours, labels)
     select $1, current_date - n, $2::int, $2::int / 3, $3, $4 from generate_series(0, $5::int - 1) n`,
    [link, perDay, hours, labels, DAYS],
  )
  await pool.query(
    `insert into click_days (link_id, day, clicks, visitors, hours, labels)
     -- Each link has clicks on every 18th day, and different links on different days.
     select id, current_date - (id % 18 + n * 18)::int, $2::int, 1, $3, $4
     from links, generate_series(0, $5::int - 1) n where id > $1`,
    [
      link,
      Math.round(CLICKS / links / clickedDaysPerLink),
      // A link with few clicks has few hours and labels. Packed counts can be cut between entries.
      hours.subarray(0, 8),
      labels.subarray(0, 40),
      clickedDaysPerLink,
    ],
  )
  // The most clicked links of a day, as pairs of an ID and its clicks.
  const topLinks = Array.from(
    { length: 300 },
    (_, index) => [link + index * 31, 300 - index] as const,
  )
  await pool.query(
    `insert into account_days (account_id, day, clicks, visitors, hours, labels, links)
     select $1, current_date - n, $2::int, $2::int / 3, $3, $4, $5 from generate_series(0, $6::int - 1) n`,
    [account, perDay, hours, labels, addCounts(undefined, toCounts(new Map(topLinks)), 0), DAYS],
  )
}

/**
 * Inserts identical days over many years for some links. Each day has the fraction `share` of a busy
 * day's labels.
 */
export async function fillYears(
  pool: ConnectionPool,
  ids: readonly number[],
  { years, share }: { years: number; share: number },
): Promise<void> {
  const clicks = 5000
  const labels = addCounts(undefined, toCounts(await createLabelSums(pool, clicks, share)), 0)
  const hours = addCounts(undefined, toCounts(createHourSums(clicks)), 0)
  for (const id of ids) {
    await pool.query(
      `insert into click_days (link_id, day, clicks, visitors, hours, labels)
       select $1, current_date - n, $2::int, $2::int / 3, $3, $4
       from generate_series(0, $5::int - 1) n`,
      [id, clicks, hours, labels, years * 365],
    )
  }
  await pool.query(
    'insert into click_totals (link_id, clicks, last_click_at) select unnest($1::bigint[]), $2, now()',
    [ids, clicks * years * 365],
  )
}

async function createLabelSums(
  pool: ConnectionPool,
  clicks: number,
  share = 1,
): Promise<Map<number, number>> {
  const sums = new Map<number, number>()
  for (const [kind, maxLabels] of Object.entries(LABELS) as [keyof typeof LABELS, number][]) {
    const count = Math.ceil(maxLabels * share)
    for (const [rank, label] of (await insertLabels(pool, kind, count)).entries()) {
      sums.set(toLabelKey(KIND[kind], label), Math.ceil(clicks / (rank + 2) ** 1.5))
    }
  }
  return sums
}

async function insertLabels(pool: ConnectionPool, kind: string, count: number): Promise<number[]> {
  if (kind === 'device' || kind === 'language') return Array.from({ length: count }, (_, n) => n)
  const names = Array.from({ length: count }, (_, index) => `${kind} number ${index}`)
  await pool.query('insert into labels (name) select unnest($1::text[]) on conflict do nothing', [
    names,
  ])
  const { rows } = await pool.query<{ id: number }>(
    'select id from labels where name = any($1) order by id',
    [names],
  )
  return rows.map(({ id }) => id)
}

function createHourSums(clicks: number): Map<number, number> {
  const hours = Array.from({ length: 24 }, (_, hour) => hour)
  return new Map(
    hours.flatMap((hour) => [
      [hour, Math.round(clicks / 24)] as const,
      [NEW_VISITORS_OFFSET + hour, Math.round(clicks / 72)] as const,
    ]),
  )
}
