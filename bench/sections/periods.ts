import { startBrevis } from '../brevis.ts'
import type { BenchOptions, Figure } from '../figures.ts'
import { CLICKS, DAYS, fillDays } from '../fill-days.ts'
import { createLinks } from '../make.ts'
import { timeRequest } from '../time-request.ts'

/**
 * Measures statistics over time for a link with ten million clicks, and for an account with 100,000
 * links.
 */
export async function periods({ log, quick }: BenchOptions): Promise<Figure[]> {
  const links = quick ? 10_000 : 100_000
  const requestCount = quick ? 20 : 100
  await using brevis = await startBrevis()
  const { pool } = brevis.database
  await createLinks(pool, { prefix: 'bench', count: links })
  const { rows } = await pool.query<{ id: number; account_id: number }>(
    'select min(id) as id, min(account_id) as account_id from links',
  )
  const { id = 0, account_id: account = 0 } = rows[0] ?? {}
  log(`storing ${CLICKS} clicks for one link and for ${links} links`)
  await fillDays(pool, { link: id, account, links })
  await pool.query('vacuum analyze')
  brevis.pinToSeparateCores()

  log('sending requests')
  const formatDaysAgo = (days: number) =>
    new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
  const linkMs = await timeRequest(
    brevis,
    `/api/url/${id}/stats?from=${formatDaysAgo(89)}&interval=day`,
    requestCount,
  )
  const accountMs = await timeRequest(
    brevis,
    `/api/stats?from=${formatDaysAgo(DAYS - 1)}&interval=month`,
    requestCount,
  )
  return [
    {
      name: 'one link with 10,000,000 clicks, 90 days',
      value: linkMs,
      unit: 'ms',
      goal: { atMost: 20 },
    },
    {
      name: `an account with ${links.toLocaleString('en-US')} links, 12 months`,
      value: accountMs,
      unit: 'ms',
      goal: { atMost: 100 },
    },
  ]
}
