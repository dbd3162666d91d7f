import { startBrevis } from '../brevis.ts'
import type { Bench, Figure } from '../figures.ts'
import { CLICKS, DAYS, fillDays } from '../fill-days.ts'
import { makeLinks } from '../make.ts'
import { timeRequest } from '../time-request.ts'

/**
 * Measures statistics over time of a link with ten million clicks, and of an account with 100,000
 * links.
 */
export async function periods({ log, quick }: Bench): Promise<Figure[]> {
  const links = quick ? 10_000 : 100_000
  const times = quick ? 20 : 100
  await using brevis = await startBrevis()
  const { pool } = brevis.database
  await makeLinks(pool, { prefix: 'bench', count: links })
  const { rows } = await pool.query<{ id: number; account_id: number }>(
    'select min(id) as id, min(account_id) as account_id from links',
  )
  const { id = 0, account_id: account = 0 } = rows[0] ?? {}
  log(`storing ${CLICKS} clicks of one link and of ${links} links`)
  await fillDays(pool, { link: id, account, links })
  await pool.query('vacuum analyze')
  brevis.useTwoCores()

  log('asking')
  const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
  const link = await timeRequest(brevis, `/api/url/${id}/stats?from=${day(89)}&interval=day`, times)
  const year = await timeRequest(brevis, `/api/stats?from=${day(DAYS - 1)}&interval=month`, times)
  return [
    {
      name: 'one link with 10,000,000 clicks, 90 days',
      value: link,
      unit: 'ms',
      goal: { atMost: 20 },
    },
    {
      name: `an account with ${links.toLocaleString('en-US')} links, 12 months`,
      value: year,
      unit: 'ms',
      goal: { atMost: 100 },
    },
  ]
}
