import { setTimeout as sleep } from 'node:timers/promises'
import { startBare } from '../bare.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type BenchOptions, type Figure, percentile } from '../figures.ts'
import { createLinks } from '../make.ts'
import { BOTH_CORES, pin } from '../processes.ts'
import { createTrafficScript, type Traffic } from '../traffic-script.ts'
import { userAgents } from '../user-agents.ts'
import { runWrk, type WrkResult } from '../wrk.ts'

const MIB = 2 ** 20
const CONNECTIONS = 64
const SAMPLE_MS = 500

/**
 * Measures realistic traffic: many visitors and a million links whose popularity follows Zipf's law.
 * The service and the bare server each share two cores with wrk.
 */
export async function traffic({ log, quick }: BenchOptions): Promise<Figure[]> {
  const [links, seconds] = quick ? [50_000, 5] : [1_000_000, 60]
  const visitors = quick ? 20_000 : 200_000
  const trafficOptions: Traffic = { prefix: 'bench', links, distribution: 'zipf', visitors }
  const bare = await measureBare(trafficOptions, Math.min(seconds, 20))
  log(`bare Fastify: ${Math.round(bare.rate)}/s, p99 ${bare.p99} ms`)
  await using brevis = await startBrevis()
  log(`storing ${links} links`)
  await createLinks(brevis.database.pool, { prefix: 'bench', count: links }, log)
  brevis.useAllCores()
  log(`visiting for ${seconds} s`)
  const run = await visit(brevis, trafficOptions, seconds)
  log('visiting at half of the sustained rate')
  return [
    { name: 'bare Fastify: redirects', value: bare.rate, unit: '/s' },
    { name: 'bare Fastify: p99', value: bare.p99, unit: 'ms' },
    ...toFigures(run, bare),
    ...(await measureLag(brevis, trafficOptions, run.drained / 2, quick ? 10 : 20)),
    await measureSingleClick(brevis),
  ]
}

async function measureBare(trafficOptions: Traffic, seconds: number): Promise<WrkResult> {
  await using bare = await startBare('bare-fastify')
  pin([bare.pid], BOTH_CORES)
  const { url } = bare
  await runWrk({ url, script: createTrafficScript(trafficOptions), seconds: 2, cores: BOTH_CORES })
  return await runWrk({
    url,
    script: createTrafficScript(trafficOptions),
    seconds,
    cores: BOTH_CORES,
  })
}

type VisitResult = WrkResult & {
  /** Redirects per second, including the time until PostgreSQL had the last click. */
  drained: number
  /** The share of visits whose link was cached. */
  hits: number
  bytesPerClick: number
  /** Samples of the journal's size in bytes during the visits. */
  journal: number[]
  memory: ReturnType<Brevis['readMemory']>
  /** CPU time per redirect in microseconds. */
  cpu: ReturnType<Brevis['readCpu']>
}

async function visit(
  brevis: Brevis,
  trafficOptions: Traffic,
  seconds: number,
): Promise<VisitResult> {
  const cpu = brevis.readCpu()
  const size = await readDatabaseSize(brevis)
  const journal: number[] = []
  const sampling = startSampling(brevis, (metrics) => {
    journal.push(metrics.get('brevis_journal_bytes') ?? Number.NaN)
  })
  const { url } = brevis
  const result = await runWrk({
    url,
    script: createTrafficScript(trafficOptions),
    seconds,
    cores: BOTH_CORES,
  })
  await sampling.stop()
  const memory = brevis.readMemory()
  const drainStartedAt = performance.now()
  const clicks = await brevis.waitUntilDrained()
  const drainSeconds = (performance.now() - drainStartedAt) / 1000
  const after = brevis.readCpu()
  const metrics = await brevis.readMetrics()
  const misses = metrics.get('brevis_cache_misses_total{cache="links"}') ?? Number.NaN
  const perClick = (key: keyof typeof cpu) => ((after[key] - cpu[key]) * 1e6) / clicks
  return {
    ...result,
    drained: result.requests / (result.seconds + drainSeconds),
    hits: 1 - misses / clicks,
    bytesPerClick: ((await readDatabaseSize(brevis)) - size) / clicks,
    journal,
    memory,
    cpu: {
      worker: perClick('worker'),
      importer: perClick('importer'),
      database: perClick('database'),
    },
  }
}

/** Measures how long clicks take to be counted under steady load. */
async function measureLag(
  brevis: Brevis,
  trafficOptions: Traffic,
  rate: number,
  seconds: number,
): Promise<Figure[]> {
  const delay = (CONNECTIONS * 1000) / rate
  const samples: { at: number; clicks: number }[] = []
  const lags: number[] = []
  const sampling = startSampling(brevis, async (metrics) => {
    const at = performance.now()
    samples.push({ at, clicks: metrics.get('brevis_clicks_journalled_total') ?? Number.NaN })
    const imported = await brevis.countImported()
    // All clicks up to this sample have been imported.
    const lastImported = samples.findLast(({ clicks }) => clicks <= imported)
    if (lastImported) lags.push((performance.now() - lastImported.at) / 1000)
  })
  const script = createTrafficScript(trafficOptions, delay)
  const result = await runWrk({ url: brevis.url, script, seconds, cores: BOTH_CORES })
  await sampling.stop()
  await brevis.waitUntilDrained()
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

/** Measures how long a single click takes to be counted. */
async function measureSingleClick({ url, countImported }: Brevis): Promise<Figure> {
  const delays: number[] = []
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const before = await countImported()
    const headers = { 'user-agent': userAgents(1)[0] ?? '' }
    const { status } = await fetch(`${url}/bench-1`, { headers, redirect: 'manual' })
    if (status !== 302) throw new Error(`a link returned ${status}`)
    const started = performance.now()
    while ((await countImported()) === before) await sleep(20)
    delays.push((performance.now() - started) / 1000)
  }
  const value = Math.max(...delays)
  return {
    name: 'quiet: delay until a click is counted, longest of ten',
    value,
    unit: 's',
    goal: { atMost: 2 },
  }
}

/** Reads the metrics twice a second until `stop` is called. */
function startSampling(
  { readMetrics }: Brevis,
  onSample: (metrics: ReadonlyMap<string, number>) => void | Promise<void>,
) {
  const stopped = new AbortController()
  const { signal } = stopped
  const running = (async () => {
    while (!signal.aborted) {
      await onSample(await readMetrics())
      await sleep(SAMPLE_MS, undefined, { signal }).catch(() => {})
    }
  })()
  return {
    async stop(): Promise<void> {
      stopped.abort()
      await running
    },
  }
}

function toFigures(run: VisitResult, bare: WrkResult): Figure[] {
  const { rate, drained, p50, p99, hits, bytesPerClick, journal, memory, cpu } = run
  const unit = 'of bare Fastify'
  return [
    { name: 'redirects, under load', value: rate, unit: '/s' },
    { name: 'redirects, until drained', value: drained, unit: '/s' },
    { name: 'under load', value: rate / bare.rate, unit },
    {
      name: 'until drained',
      value: drained / bare.rate,
      unit,
      goal: { atLeast: 0.6 },
    },
    { name: 'p50', value: p50, unit: 'ms' },
    { name: 'p99', value: p99, unit: 'ms' },
    { name: 'links found without PostgreSQL', value: 100 * hits, unit: '%' },
    { name: 'disk', value: bytesPerClick, unit: 'bytes/click' },
    { name: 'CPU time per redirect: HTTP', value: cpu.worker, unit: 'µs' },
    { name: 'CPU time per redirect: importer', value: cpu.importer, unit: 'µs' },
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

async function readDatabaseSize({ database }: Brevis): Promise<number> {
  const { rows } = await database.pool.query<{ size: number }>(
    'select pg_database_size(current_database()) as size',
  )
  return rows[0]?.size ?? Number.NaN
}
