import { measureBareRate } from '../bare.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type BenchOptions, type Figure, median } from '../figures.ts'
import { quoteLua } from '../lua.ts'
import { createAccounts, createLinks } from '../make.ts'
import { runWrk } from '../wrk.ts'

const LINKS = 10_000
const ACCOUNTS = 200
const BATCH_SIZE = 100

/** A call to measure. If `links` is set, rates are links created per second, not requests. */
type Call = { script: string; links?: number; goal?: number }

/**
 * Measures the most common API calls, with the server, the importer and PostgreSQL on one core and
 * on two cores.
 */
export async function api({ log, quick }: BenchOptions): Promise<Figure[]> {
  const [rounds, seconds] = quick ? [1, 3] : [3, 10]
  await using brevis = await startBrevis()
  await createLinks(brevis.database.pool, { prefix: 'bench', count: LINKS })
  const ids = await readIds(brevis)
  const keys = await createAccounts(brevis.database.pool, ACCOUNTS)
  const calls: Record<string, Call> = {
    'POST /api/url/add': {
      script: createCallScript(keys, 'POST', ['/api/url/add'], newLinkBody),
      links: 1,
      goal: 0.1,
    },
    'POST /api/urls/add': {
      script: createCallScript(
        keys,
        'POST',
        ['/api/urls/add'],
        `{"urls":[${Array(BATCH_SIZE).fill(newLinkBody).join()}]}`,
      ),
      links: BATCH_SIZE,
      goal: 0.3,
    },
    'GET /api/urls': { script: createCallScript([brevis.key], 'GET', ['/api/urls?limit=15']) },
    'GET /api/url/{id}': {
      script: createCallScript(
        [brevis.key],
        'GET',
        ids.map((id) => `/api/url/${id}`),
      ),
    },
  }
  const bare = await measureBareRate(quick ? 3 : 10)
  log(`bare Fastify ${Math.round(bare)}/s`)
  const figures: Figure[] = []
  for (const cores of ['one core', 'two cores'] as const) {
    if (cores === 'one core') brevis.pinToOneCore()
    else brevis.pinToSeparateCores()
    for (const [call, { script, links = 1, goal }] of Object.entries(calls)) {
      // The previous call created many links, so the planner statistics are outdated.
      await brevis.database.pool.query('analyze')
      await runWrk({ url: brevis.url, script, seconds: 2 })
      const rates: number[] = []
      const before = brevis.readCpu()
      let items = 0
      for (let round = 1; round <= rounds; round += 1) {
        const result = await runWrk({ url: brevis.url, script, seconds })
        const { rate, p50, p99 } = result
        log(`${cores}: ${call} ${Math.round(rate * links)}/s, p50 ${p50} ms, p99 ${p99} ms`)
        rates.push(rate * links)
        items += result.requests * links
      }
      const after = brevis.readCpu()
      const cpuPerItem = (part: keyof typeof before) => ((after[part] - before[part]) * 1e6) / items
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
          { name: `${call}: CPU time in Node.js`, value: cpuPerItem('worker'), unit: 'µs' },
          {
            name: `${call}: CPU time in PostgreSQL`,
            value: cpuPerItem('database'),
            unit: 'µs',
          },
        )
      }
    }
  }
  return figures
}

async function readIds({ database }: Brevis): Promise<number[]> {
  const { rows } = await database.pool.query<{ id: number }>(
    'select id from links order by id limit 1000',
  )
  return rows.map(({ id }) => id)
}

/** The request body for a new link. The script replaces `TARGET` with a random number. */
const newLinkBody = '{"url":"https://example.com/page/TARGET"}'

/** Returns a wrk script that requests random `paths` with random `keys`. */
function createCallScript(
  keys: readonly string[],
  method: 'GET' | 'POST',
  paths: readonly string[],
  body?: string,
): string {
  return `
local paths = { ${paths.map(quoteLua).join(', ')} }
local keys = { ${keys.map(quoteLua).join(', ')} }
local text = ${body === undefined ? 'nil' : quoteLua(body)}
function request()
  local body = text and text:gsub('TARGET', function () return math.random(1e9) end)
  local headers = { Authorization = 'Bearer ' .. keys[math.random(#keys)], ['Content-Type'] = 'application/json' }
  return wrk.format('${method}', paths[math.random(#paths)], headers, body)
end
`
}
