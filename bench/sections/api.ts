import { rateOfBare } from '../bare.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type Bench, type Figure, median } from '../figures.ts'
import { quote } from '../lua.ts'
import { makeAccounts, makeLinks } from '../make.ts'
import { load } from '../wrk.ts'

const LINKS = 10_000
const ACCOUNTS = 200
const BATCH = 100

/** A call to measure. With `links`, rates count links created instead of requests. */
type Call = { script: string; links?: number; goal?: number }

/**
 * Measures the most used API calls, with the server, the importer and PostgreSQL on one core and on
 * two.
 */
export async function api({ log, quick }: Bench): Promise<Figure[]> {
  const [rounds, seconds] = quick ? [1, 3] : [3, 10]
  await using brevis = await startBrevis()
  await makeLinks(brevis.database.pool, { prefix: 'bench', count: LINKS })
  const ids = await someIds(brevis)
  const keys = await makeAccounts(brevis.database.pool, ACCOUNTS)
  const calls: Record<string, Call> = {
    'POST /api/url/add': {
      script: callScript(keys, 'POST', ['/api/url/add'], target),
      links: 1,
      goal: 0.1,
    },
    'POST /api/urls/add': {
      script: callScript(
        keys,
        'POST',
        ['/api/urls/add'],
        `{"urls":[${Array(BATCH).fill(target).join()}]}`,
      ),
      links: BATCH,
      goal: 0.3,
    },
    'GET /api/urls': { script: callScript([brevis.key], 'GET', ['/api/urls?limit=15']) },
    'GET /api/url/{id}': {
      script: callScript(
        [brevis.key],
        'GET',
        ids.map((id) => `/api/url/${id}`),
      ),
    },
  }
  const bare = await rateOfBare(quick ? 3 : 10)
  log(`bare Fastify ${Math.round(bare)}/s`)
  const figures: Figure[] = []
  for (const cores of ['one core', 'two cores'] as const) {
    if (cores === 'one core') brevis.useOneCore()
    else brevis.useTwoCores()
    for (const [call, { script, links = 1, goal }] of Object.entries(calls)) {
      // The previous call has created many links, so PostgreSQL's statistics are outdated.
      await brevis.database.pool.query('analyze')
      await load({ url: brevis.url, script, seconds: 2 })
      const rates: number[] = []
      const before = brevis.cpu()
      let items = 0
      for (let round = 1; round <= rounds; round += 1) {
        const result = await load({ url: brevis.url, script, seconds })
        const { rate, p50, p99 } = result
        log(`${cores}: ${call} ${Math.round(rate * links)}/s, p50 ${p50} ms, p99 ${p99} ms`)
        rates.push(rate * links)
        items += result.requests * links
      }
      const after = brevis.cpu()
      const each = (part: keyof typeof before) => ((after[part] - before[part]) * 1e6) / items
      const unit = links > 1 ? ' links/s' : '/s'
      figures.push({ name: `${call}, ${cores}`, value: median(rates), unit })
      if (goal !== undefined && cores === 'one core') {
        figures.push({
          name: `${call}, ${cores}, links/s relative to requests/s`,
          value: median(rates) / bare,
          unit: 'of bare Fastify',
          goal: { atLeast: goal },
        })
      }
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

/** The body of a new link. `TARGET` is replaced to make destinations unique. */
const target = '{"url":"https://example.com/page/TARGET"}'

/** Returns a wrk script that requests random `paths` with one of `keys`. */
function callScript(
  keys: readonly string[],
  method: 'GET' | 'POST',
  paths: readonly string[],
  body?: string,
): string {
  return `
local paths = { ${paths.map(quote).join(', ')} }
local keys = { ${keys.map(quote).join(', ')} }
local text = ${body === undefined ? 'nil' : quote(body)}
function request()
  local body = text and text:gsub('TARGET', function () return math.random(1e9) end)
  local headers = { Authorization = 'Bearer ' .. keys[math.random(#keys)], ['Content-Type'] = 'application/json' }
  return wrk.format('${method}', paths[math.random(#paths)], headers, body)
end
`
}
