import { compactRawClicks } from '../../src/clicks/maintenance/housekeeping.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import type { BenchOptions, Figure } from '../figures.ts'
import { fillRawClicks } from '../fill-raw-clicks.ts'
import { createLinks } from '../make.ts'
import { timeRequest, WARM_UP_REQUESTS } from '../time-request.ts'

const DAYS = 30
const LINKS = 10_000
const ACCOUNT_REQUESTS = 3

/**
 * Measures filtered statistics for a link with a million clicks in 30 days, and for an account with
 * ten million clicks.
 */
export async function filters({ log, quick }: BenchOptions): Promise<Figure[]> {
  const [linkClicks, accountClicks] = quick ? [100_000, 500_000] : [1_000_000, 10_000_000]
  await using brevis = await startBrevis()
  const { pool } = brevis.database
  await createLinks(pool, { prefix: 'bench', count: LINKS })
  const { rows } = await pool.query<{ id: number; account_id: number }>(
    'select id, account_id from links order by id',
  )
  const [first, ...others] = rows
  const { id: link = 0, account_id: account = 0 } = first ?? {}
  log(`storing ${accountClicks} clicks`)
  await fillRawClicks(pool, { account, links: [link], clicks: linkClicks, days: DAYS })
  const links = others.map(({ id }) => id)
  await fillRawClicks(pool, { account, links, clicks: accountClicks - linkClicks, days: DAYS })
  log('compacting the clicks of past days, like the daily maintenance task')
  // Each run compacts three days.
  for (let daysAgo = 0; daysAgo < DAYS; daysAgo += 3) {
    await compactRawClicks(brevis.database.db, new Date(Date.now() - daysAgo * 86_400_000))
  }
  for (const table of ['click_days', 'account_days'] as const) await fillDailyTotals(pool, table)
  await pool.query('vacuum full clicks')
  await pool.query('vacuum analyze')
  const { rows: sizes } = await pool.query<{ size: number }>(
    `select sum(pg_total_relation_size(inhrelid))::float8 as size from pg_inherits
     where inhparent = 'clicks'::regclass`,
  )
  brevis.pinToSeparateCores()

  log('sending requests')
  const requestCount = quick ? 5 : 15
  const measure = (path: string) => timeRequest(brevis, path, requestCount)
  const halfMs = await measure(`/api/url/${link}/stats?device=mobile&device=tablet`)
  const mostMs = await measure(`/api/url/${link}/stats?device=mobile&device=desktop&device=tablet`)
  const indiaMs = await measure(`/api/url/${link}/stats?tz=Asia/Kolkata`)
  const before = readTotalCpuSeconds(brevis)
  const accountMs = await timeRequest(
    brevis,
    '/api/stats?device=mobile&device=tablet',
    ACCOUNT_REQUESTS,
  )
  const accountCpuSeconds =
    (readTotalCpuSeconds(brevis) - before) / (ACCOUNT_REQUESTS + WARM_UP_REQUESTS)
  const formatCount = (count: number) => count.toLocaleString('en-US')
  return [
    {
      name: `a link with ${formatCount(linkClicks)} clicks, filter matching half`,
      value: halfMs,
      unit: 'ms',
      goal: { atMost: 300 },
    },
    {
      name: `a link with ${formatCount(linkClicks)} clicks, filter matching most`,
      value: mostMs,
      unit: 'ms',
      goal: { atMost: 300 },
    },
    { name: 'the same link in a half-hour time zone, unfiltered', value: indiaMs, unit: 'ms' },
    {
      name: `an account with ${formatCount(accountClicks)} clicks of ${formatCount(LINKS)} links`,
      value: accountMs,
      unit: 'ms',
      goal: { atMost: 3000 },
    },
    {
      name: 'the account: CPU time of HTTP and PostgreSQL',
      value: 1000 * accountCpuSeconds,
      unit: 'ms',
    },
    {
      name: 'disk per raw click',
      value: (sizes[0]?.size ?? 0) / accountClicks,
      unit: 'bytes',
    },
  ]
}

/** Returns the CPU time so far. Unlike elapsed time, it does not depend on other programs. */
function readTotalCpuSeconds(brevis: Brevis): number {
  const { worker, database } = brevis.readCpu()
  return worker + database
}

/**
 * Fills the daily totals of links or accounts with the values that filtered statistics read. Each
 * day has a single click in hour 0 as a placeholder for its hours.
 */
async function fillDailyTotals(
  pool: Parameters<typeof fillRawClicks>[0],
  table: 'click_days' | 'account_days',
): Promise<void> {
  const [owner, extraValue] = table === 'click_days' ? ['link_id', ''] : ['account_id', ", ''"]
  await pool.query(
    `insert into ${table}
     select ${owner}, day, sum(clicks), 0, '\\x0001', ''${extraValue}
     from clicks group by ${owner}, day`,
  )
}
