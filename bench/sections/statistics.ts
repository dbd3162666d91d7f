import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { addCounts, toLabelKey } from '../../src/clicks/encoding/label-counts.ts'
import { KIND } from '../../src/clicks/encoding/label-kinds.ts'
import { readLinkStatistics } from '../../src/clicks/read.ts'
import { monthOf } from '../../src/clicks/storage/months.ts'
import { createPartitions } from '../../src/clicks/storage/partitions.ts'
import { withConnection } from '../../src/db/connection.ts'
import type { ConnectionPool } from '../../src/db/connection-pool.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type BenchOptions, type Figure, median } from '../figures.ts'
import { createLinks } from '../make.ts'

/** The number of labels of each kind for the link with ten million clicks. */
const LABELS = { referrer: 1000, country: 240, browser: 60, os: 80, social: 3 } as const

/** Measures the statistics of a link with ten million clicks, relative to a link with ten clicks. */
export async function statistics({ log, quick }: BenchOptions): Promise<Figure[]> {
  const rawClicks = quick ? 200_000 : 3_000_000
  const runs = quick ? 50 : 500
  await using brevis = await startBrevis()
  const { pool, db } = brevis.database
  await createLinks(pool, { prefix: 'bench', count: 1000 })
  const [large, small] = await readTwoLinks(pool)
  log('storing the totals of 10,000,000 clicks')
  await fillTotals(pool, large, { clicks: 10_000_000, days: 1000, labels: LABELS })
  await fillTotals(pool, small, {
    clicks: 10,
    days: 2,
    labels: { referrer: 3, country: 2, browser: 2, os: 2, social: 1 },
  })
  log(`storing ${rawClicks} visitors and as many single clicks`)
  await fillRows(pool, large, rawClicks)
  await pool.query('vacuum analyze')
  brevis.pinToSeparateCores()

  log('querying')
  const query = await compare(
    () => readLinkStatistics(db, { id: large, clicks: 10_000_000 }),
    () => readLinkStatistics(db, { id: small, clicks: 10 }),
    runs,
  )
  const request = await compare(
    () => requestDetails(brevis, large, 10_000_000),
    () => requestDetails(brevis, small, 10),
    runs,
  )
  return [
    { name: 'GET /api/url/{id}, 10 clicks', value: request.small, unit: 'ms' },
    { name: 'GET /api/url/{id}, 10,000,000 clicks', value: request.large, unit: 'ms' },
    ratio('GET /api/url/{id}', request),
    { name: 'statistics alone, 10 clicks', value: query.small, unit: 'ms' },
    { name: 'statistics alone, 10,000,000 clicks', value: query.large, unit: 'ms' },
    ratio('statistics alone', query),
  ]
}

function ratio(name: string, { large, small }: { large: number; small: number }): Figure {
  return { name, value: large / small, unit: '× the time of 10 clicks', goal: { atMost: 1.5 } }
}

/** Runs both functions alternately and returns their median durations in milliseconds. */
async function compare(
  onLarge: () => Promise<unknown>,
  onSmall: () => Promise<unknown>,
  runs: number,
) {
  const durations = { large: [] as number[], small: [] as number[] }
  // Runs below 0 are a warm-up.
  for (let run = -50; run < runs; run += 1) {
    for (const [size, query] of [
      ['large', onLarge],
      ['small', onSmall],
    ] as const) {
      const started = performance.now()
      await query()
      if (run >= 0) durations[size].push(performance.now() - started)
    }
    await yieldToEventLoop()
  }
  return { large: median(durations.large), small: median(durations.small) }
}

async function requestDetails({ url, key }: Brevis, id: number, clicks: number): Promise<void> {
  const response = await fetch(`${url}/api/url/${id}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  const { data } = (await response.json()) as { data?: { clicks: number } }
  if (data?.clicks !== clicks) throw new Error(`link ${id} shows ${data?.clicks} clicks`)
}

async function readTwoLinks(pool: ConnectionPool): Promise<[number, number]> {
  const { rows } = await pool.query<{ id: number }>('select id from links order by id limit 2')
  return [rows[0]?.id ?? 0, rows[1]?.id ?? 0]
}

type LinkTotals = { clicks: number; days: number; labels: Record<keyof typeof LABELS, number> }

/** Inserts the totals and labels of one link. Its days have only clicks. */
async function fillTotals(
  pool: ConnectionPool,
  link: number,
  { clicks, days, labels }: LinkTotals,
): Promise<void> {
  await pool.query(
    `insert into click_totals (link_id, clicks, last_click_at) values ($1, $2, now())
     on conflict (link_id) do update set clicks = excluded.clicks, last_click_at = now()`,
    [link, clicks],
  )
  await pool.query(
    `insert into click_days (link_id, day, clicks, visitors, hours, labels)
     select $1, current_date - n, $2, 0, '', '' from generate_series(1, $3::int) n`,
    [link, Math.ceil(clicks / days), days],
  )
  const counts: { key: number; clicks: number }[] = []
  for (const [kind, count] of Object.entries(labels) as [keyof typeof LABELS, number][]) {
    for (const [rank, label] of (await insertLabels(pool, kind, count)).entries()) {
      counts.push({
        key: toLabelKey(KIND[kind], label),
        clicks: Math.ceil(clicks / (rank + 2) ** 1.5),
      })
    }
  }
  counts.sort((a, b) => a.key - b.key)
  const added = { keys: counts.map(({ key }) => key), clicks: counts.map((each) => each.clicks) }
  await pool.query(
    `insert into click_details (link_id, labels, visitors, hashes)
     values ($1, $2, $3::int, decode(repeat('0123456789abcdef', least($3::int, 96)), 'hex'))`,
    [link, addCounts(undefined, added, 0), Math.ceil(clicks / 3)],
  )
}

async function insertLabels(pool: ConnectionPool, kind: string, count: number): Promise<number[]> {
  const names =
    kind === 'social'
      ? ['facebook', 'twitter', 'instagram'].slice(0, count)
      : Array.from({ length: count }, (_, index) => `${kind} number ${index}`)
  await pool.query('insert into labels (name) select unnest($1::text[]) on conflict do nothing', [
    names,
  ])
  const { rows } = await pool.query<{ id: number }>(
    'select id from labels where name = any($1) order by id',
    [names],
  )
  return rows.map(({ id }) => id)
}

/** Inserts visitors in packed buckets of 96, and as many raw clicks of 27 bytes. */
async function fillRows(pool: ConnectionPool, link: number, rows: number): Promise<void> {
  await pool.query(
    `insert into click_visitors (link_id, bucket, hashes)
     select $1, n, decode(repeat('0123456789abcdef', 96), 'hex')
     from generate_series(1, $2::int / 96) n`,
    [link, rows],
  )
  await withConnection({ pool }, ({ db }) => createPartitions(db, [monthOf(Date.now())]))
  await pool.query(
    `insert into clicks (account_id, link_id, day, clicks, blocks)
     select 1, $1, current_date, 1, decode(repeat('00', 27), 'hex')
     from generate_series(1, $2::int) n`,
    [link, rows],
  )
}
