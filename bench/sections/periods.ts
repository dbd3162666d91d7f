import { setImmediate as turn } from 'node:timers/promises'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type Bench, type Figure, median } from '../figures.ts'
import { CLICKS, DAYS, fillDays } from '../fill-days.ts'
import { makeLinks } from '../make.ts'

/** Statistics over time of a link with ten million clicks, and of an account with 100,000 links. */
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
  const link = await time(brevis, `/api/url/${id}/stats?from=${day(89)}&interval=day`, times)
  const year = await time(brevis, `/api/stats?from=${day(DAYS - 1)}&interval=month`, times)
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

/** The median time of a request in milliseconds. */
async function time({ url, key }: Brevis, path: string, times: number): Promise<number> {
  const taken: number[] = []
  for (let round = -5; round < times; round += 1) {
    const started = performance.now()
    const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } })
    const body = await response.text()
    const { data } = JSON.parse(body) as { data?: { clicks: number } }
    if (!data?.clicks) throw new Error(`${path} answers ${body.slice(0, 200)}`)
    if (round >= 0) taken.push(performance.now() - started)
    await turn()
  }
  return median(taken)
}
