import { type Brevis, startBrevis } from '../brevis.ts'
import { type Bench, type Figure, median } from '../figures.ts'
import { quote } from '../lua.ts'
import { makeLinks } from '../make.ts'
import { load } from '../wrk.ts'

const LINKS = 10_000
/** Ten times what Kutt 3.2 did on the same kind of machine, everything on one core. */
const GOAL_ADD = 3620

/** The API's most used calls, with the server, the importer and PostgreSQL on one core and on two. */
export async function api({ log, quick }: Bench): Promise<Figure[]> {
  const [rounds, seconds] = quick ? [1, 3] : [3, 10]
  await using brevis = await startBrevis()
  await makeLinks(brevis.database.pool, { prefix: 'bench', count: LINKS })
  const ids = await someIds(brevis)
  const calls = {
    'POST /api/url/add': callScript(brevis.key, 'POST', ['/api/url/add']),
    'GET /api/urls': callScript(brevis.key, 'GET', ['/api/urls?limit=15']),
    'GET /api/url/{id}': callScript(
      brevis.key,
      'GET',
      ids.map((id) => `/api/url/${id}`),
    ),
  }
  const figures: Figure[] = []
  for (const cores of ['one core', 'two cores'] as const) {
    if (cores === 'one core') brevis.useOneCore()
    else brevis.useTwoCores()
    for (const [call, script] of Object.entries(calls)) {
      await load({ url: brevis.url, script, seconds: 2 })
      const rates: number[] = []
      const before = brevis.cpu()
      let requests = 0
      for (let round = 1; round <= rounds; round += 1) {
        const result = await load({ url: brevis.url, script, seconds })
        const { rate, p50, p99 } = result
        log(`${cores}: ${call} ${Math.round(rate)}/s, p50 ${p50} ms, p99 ${p99} ms`)
        rates.push(rate)
        requests += result.requests
      }
      const after = brevis.cpu()
      const each = (part: keyof typeof before) => ((after[part] - before[part]) * 1e6) / requests
      const isGoal = cores === 'one core' && call.startsWith('POST')
      figures.push({
        name: `${call}, ${cores}`,
        value: median(rates),
        unit: '/s',
        ...(isGoal && { goal: { atLeast: GOAL_ADD } }),
      })
      if (cores === 'one core') {
        figures.push(
          { name: `${call}: processor time in Node.js`, value: each('worker'), unit: 'µs' },
          { name: `${call}: processor time in PostgreSQL`, value: each('database'), unit: 'µs' },
        )
      }
    }
  }
  return figures
}

async function someIds({ database }: Brevis): Promise<number[]> {
  const { rows } = await database.pool.query<{ id: number }>(
    'select id from links order by id limit 1000',
  )
  return rows.map(({ id }) => id)
}

/** A script for wrk that asks for one of `paths` at random; a POST carries a target of its own. */
function callScript(key: string, method: 'GET' | 'POST', paths: readonly string[]): string {
  return `
local paths = { ${paths.map(quote).join(', ')} }
local headers = { Authorization = 'Bearer ${key}', ['Content-Type'] = 'application/json' }
function request()
  local body = ${method === 'POST' ? `'{"url":"https://example.com/page/' .. math.random(1e9) .. '"}'` : 'nil'}
  return wrk.format('${method}', paths[math.random(#paths)], headers, body)
end
`
}
