import { compactRawClicks } from '../../src/clicks/maintenance/compact.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import type { Bench, Figure } from '../figures.ts'
import { fillRawClicks } from '../fill-raw-clicks.ts'
import { makeLinks } from '../make.ts'
import { timeRequest, WARM_UPS } from '../time-request.ts'

const DAYS = 30
const LINKS = 10_000
const ACCOUNT_TIMES = 3

/**
 * Measures filtered statistics of a link with a million clicks in 30 days, and of an account with
 * ten million.
 */
export async function filters({ log, quick }: Bench): Promise<Figure[]> {
  const [ofLink, ofAccount] = quick ? [100_000, 500_000] : [1_000_000, 10_000_000]
  await using brevis = await startBrevis()
  const { pool } = brevis.database
  await makeLinks(pool, { prefix: 'bench', count: LINKS })
  const { rows } = await pool.query<{ id: number; account_id: number }>(
    'select id, account_id from links order by id',
  )
  const [{ id: link = 0, account_id: account = 0 } = {}, ...others] = rows
  log(`storing ${ofAccount} clicks`)
  await fillRawClicks(pool, { account, links: [link], clicks: ofLink, days: DAYS })
  const links = others.map(({ id }) => id)
  await fillRawClicks(pool, { account, links, clicks: ofAccount - ofLink, days: DAYS })
  log('compacting the clicks of past days, as daily housekeeping does')
  for (let ago = 0; ago < DAYS; ago += 3) {
    await compactRawClicks(brevis.database.db, new Date(Date.now() - ago * 86_400_000))
  }
  for (const table of ['click_days', 'account_days'] as const) await fillDailyTotals(pool, table)
  await pool.query('vacuum full clicks')
  await pool.query('vacuum analyze')
  const { rows: sizes } = await pool.query<{ size: number }>(
    `select sum(pg_total_relation_size(inhrelid))::float8 as size from pg_inherits
     where inhparent = 'clicks'::regclass`,
  )
  brevis.useTwoCores()

  log('sending requests')
  const times = quick ? 5 : 15
  const time = (path: string) => timeRequest(brevis, path, times)
  const filtered = await time(`/api/url/${link}/stats?device=mobile&device=tablet`)
  const nearlyAll = await time(`/api/url/${link}/stats?device=mobile&device=desktop&device=tablet`)
  const india = await time(`/api/url/${link}/stats?tz=Asia/Kolkata`)
  const before = cpuSeconds(brevis)
  const whole = await timeRequest(brevis, '/api/stats?device=mobile&device=tablet', ACCOUNT_TIMES)
  const wholeCpu = (cpuSeconds(brevis) - before) / (ACCOUNT_TIMES + WARM_UPS)
  const clicks = (count: number) => count.toLocaleString('en-US')
  return [
    {
      name: `a link with ${clicks(ofLink)} clicks, half of them match`,
      ...{ value: filtered, unit: 'ms', goal: { atMost: 300 } },
    },
    {
      name: `a link with ${clicks(ofLink)} clicks, most of them match`,
      ...{ value: nearlyAll, unit: 'ms', goal: { atMost: 300 } },
    },
    { name: 'the same link in a half-hour time zone, unfiltered', value: india, unit: 'ms' },
    {
      name: `an account with ${clicks(ofAccount)} clicks of ${clicks(LINKS)} links`,
      ...{ value: whole, unit: 'ms', goal: { atMost: 3000 } },
    },
    {
      name: 'the account: processor time of HTTP and PostgreSQL',
      ...{ value: 1000 * wholeCpu, unit: 'ms' },
    },
    {
      name: 'disk per raw click',
      ...{ value: (sizes[0]?.size ?? 0) / ofAccount, unit: 'bytes' },
    },
  ]
}

/** Processor time is not affected by other work on the machine. */
function cpuSeconds(brevis: Brevis): number {
  const { worker, database } = brevis.cpu()
  return worker + database
}

/** Fills the daily totals of links or accounts, but only what filtered statistics read. */
async function fillDailyTotals(
  pool: Parameters<typeof fillRawClicks>[0],
  table: 'click_days' | 'account_days',
): Promise<void> {
  const [owner, more] = table === 'click_days' ? ['link_id', ''] : ['account_id', ", ''"]
  await pool.query(
    `insert into ${table}
     select ${owner}, day, sum(clicks), 0, '\\x00' || decode(lpad(to_hex(1), 2, '0'), 'hex'), ''${more}
     from clicks group by ${owner}, day`,
  )
}
