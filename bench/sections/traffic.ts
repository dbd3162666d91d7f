import { setTimeout as sleep } from 'node:timers/promises'
import { startBare } from '../bare.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type Bench, type Figure, percentile } from '../figures.ts'
import { makeLinks } from '../make.ts'
import { BOTH_CORES, pin } from '../processes.ts'
import { type Traffic, trafficScript } from '../traffic-script.ts'
import { userAgents } from '../user-agents.ts'
import { type Load, load } from '../wrk.ts'

const MIB = 2 ** 20
const CONNECTIONS = 64
const SAMPLE_MS = 500

/**
 * Measures realistic visits: a million links by Zipf's law with many different visitors. wrk, the
 * service, its importer and PostgreSQL share two cores, as do wrk and the minimal server.
 */
export async function traffic({ log, quick }: Bench): Promise<Figure[]> {
  const [links, seconds] = quick ? [50_000, 5] : [1_000_000, 60]
  const visitors = quick ? 20_000 : 200_000
  const form: Traffic = { prefix: 'bench', links, choice: 'zipf', visitors }
  const bare = await measureBare(form, Math.min(seconds, 20))
  log(`bare Fastify: ${Math.round(bare.rate)}/s, p99 ${bare.p99} ms`)
  await using brevis = await startBrevis()
  log(`storing ${links} links`)
  await makeLinks(brevis.database.pool, { prefix: 'bench', count: links }, log)
  brevis.useBothCores()
  log(`visiting for ${seconds} s`)
  const run = await visit(brevis, form, seconds)
  log('visiting at half the rate that was kept up')
  return [
    { name: 'bare Fastify: redirects', value: bare.rate, unit: '/s' },
    { name: 'bare Fastify: p99', value: bare.p99, unit: 'ms' },
    ...toFigures(run, bare),
    ...(await measureLag(brevis, form, run.drained / 2, quick ? 10 : 20)),
    await measureQuiet(brevis),
  ]
}

async function measureBare(form: Traffic, seconds: number): Promise<Load> {
  await using bare = await startBare('bare-fastify')
  pin([bare.pid], BOTH_CORES)
  const { url } = bare
  await load({ url, script: trafficScript(form), seconds: 2, cores: BOTH_CORES })
  return await load({ url, script: trafficScript(form), seconds, cores: BOTH_CORES })
}

type Run = Load & {
  /** Redirects per second until PostgreSQL had the last click. */
  drained: number
  /** The share of visits whose link was cached. */
  hits: number
  bytesPerClick: number
  /** The size of the journal in bytes during the visits. */
  journal: number[]
  memory: ReturnType<Brevis['memory']>
  /** Processor microseconds per redirect. */
  cpu: ReturnType<Brevis['cpu']>
}

async function visit(brevis: Brevis, form: Traffic, seconds: number): Promise<Run> {
  const [cpu, size] = [brevis.cpu(), await databaseSize(brevis)]
  const journal: number[] = []
  const sampling = sample(brevis, (metrics) => {
    journal.push(metrics.get('brevis_journal_bytes') ?? Number.NaN)
  })
  const { url } = brevis
  const result = await load({ url, script: trafficScript(form), seconds, cores: BOTH_CORES })
  await sampling.end()
  const memory = brevis.memory()
  const drainedFrom = performance.now()
  const clicks = await brevis.untilDrained()
  const drainSeconds = (performance.now() - drainedFrom) / 1000
  const after = brevis.cpu()
  const metrics = await brevis.metrics()
  const reads = metrics.get('brevis_cache_misses_total{cache="links"}') ?? Number.NaN
  const perClick = (key: keyof typeof cpu) => ((after[key] - cpu[key]) * 1e6) / clicks
  return {
    ...result,
    drained: result.requests / (result.seconds + drainSeconds),
    hits: 1 - reads / clicks,
    bytesPerClick: ((await databaseSize(brevis)) - size) / clicks,
    journal,
    memory,
    cpu: {
      worker: perClick('worker'),
      importer: perClick('importer'),
      follower: perClick('follower'),
      database: perClick('database'),
    },
  }
}

/** Measures the delay until clicks are counted under steady load. */
async function measureLag(
  brevis: Brevis,
  form: Traffic,
  rate: number,
  seconds: number,
): Promise<Figure[]> {
  const delay = (CONNECTIONS * 1000) / rate
  const written: { at: number; clicks: number }[] = []
  const lags: number[] = []
  const sampling = sample(brevis, async (metrics) => {
    const at = performance.now()
    written.push({ at, clicks: metrics.get('brevis_clicks_journalled_total') ?? Number.NaN })
    const imported = await brevis.imported()
    // Everything written by then is now counted.
    const reached = written.findLast(({ clicks }) => clicks <= imported)
    if (reached) lags.push((performance.now() - reached.at) / 1000)
  })
  const script = trafficScript(form, delay)
  const result = await load({ url: brevis.url, script, seconds, cores: BOTH_CORES })
  await sampling.end()
  await brevis.untilDrained()
  return [
    { name: 'steady: redirects', value: result.rate, unit: '/s' },
    { name: 'steady: p99', value: result.p99, unit: 'ms' },
    {
      name: 'steady: delay until a click is counted, median',
      value: percentile(lags, 50),
      unit: 's',
    },
    {
      name: 'steady: delay until a click is counted, longest',
      value: Math.max(...lags),
      unit: 's',
      goal: { atMost: 5 },
    },
  ]
}

/** Measures the delay until a single click is counted. */
async function measureQuiet({ url, imported }: Brevis): Promise<Figure> {
  const waits: number[] = []
  for (let time = 0; time < 10; time += 1) {
    const before = await imported()
    const headers = { 'user-agent': userAgents(1)[0] ?? '' }
    const { status } = await fetch(`${url}/bench-1`, { headers, redirect: 'manual' })
    if (status !== 302) throw new Error(`a link returned ${status}`)
    const started = performance.now()
    while ((await imported()) === before) await sleep(20)
    waits.push((performance.now() - started) / 1000)
  }
  const value = Math.max(...waits)
  return {
    name: 'quiet: delay until a click is counted, longest of ten',
    value,
    unit: 's',
    goal: { atMost: 2 },
  }
}

/** Reads the counters twice a second until `end` is called. */
function sample(
  { metrics }: Brevis,
  take: (metrics: ReadonlyMap<string, number>) => void | Promise<void>,
) {
  const ended = new AbortController()
  const { signal } = ended
  const running = (async () => {
    while (!signal.aborted) {
      await take(await metrics())
      await sleep(SAMPLE_MS, undefined, { signal }).catch(() => {})
    }
  })()
  return {
    async end(): Promise<void> {
      ended.abort()
      await running
    },
  }
}

function toFigures(run: Run, bare: Load): Figure[] {
  const { rate, drained, p50, p99, hits, bytesPerClick, journal, memory, cpu } = run
  const unit = 'of bare Fastify'
  return [
    { name: 'redirects, under load', value: rate, unit: '/s' },
    { name: 'redirects, until drained', value: drained, unit: '/s' },
    { name: 'under load', value: rate / bare.rate, unit },
    {
      ...{ name: 'until drained', value: drained / bare.rate, unit },
      goal: { atLeast: 0.6 },
    },
    { name: 'p50', value: p50, unit: 'ms' },
    { name: 'p99', value: p99, unit: 'ms' },
    { name: 'links found without PostgreSQL', value: 100 * hits, unit: '%' },
    { name: 'disk', value: bytesPerClick, unit: 'bytes/click' },
    { name: 'CPU time per redirect: HTTP', value: cpu.worker, unit: 'µs' },
    { name: 'CPU time per redirect: importer', value: cpu.importer, unit: 'µs' },
    { name: 'CPU time per redirect: follower', value: cpu.follower, unit: 'µs' },
    { name: 'CPU time per redirect: PostgreSQL', value: cpu.database, unit: 'µs' },
    ...[1, 2, 3, 4].map((quarter) => ({
      name: `journal after ${25 * quarter}% of the time`,
      value: (journal[Math.ceil((quarter * journal.length) / 4) - 1] ?? Number.NaN) / MIB,
      unit: 'MiB',
    })),
    ...Object.entries(memory).map(([name, bytes]) => ({
      name: `memory: ${name}`,
      value: bytes / MIB,
      unit: 'MiB',
    })),
  ]
}

async function databaseSize({ database }: Brevis): Promise<number> {
  const { rows } = await database.pool.query<{ size: number }>(
    'select pg_database_size(current_database()) as size',
  )
  return rows[0]?.size ?? Number.NaN
}
