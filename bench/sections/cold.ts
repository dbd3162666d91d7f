import { setTimeout as sleep } from 'node:timers/promises'
import { openForReading } from '../../src/links/store/open-store.ts'
import { findStore } from '../../src/links/store/store-file.ts'
import { measureBareRate } from '../bare.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type BenchOptions, type Figure, median } from '../figures.ts'
import { changeLink, createLinks } from '../make.ts'
import { createVisitScript } from '../visits.ts'
import { runWrk } from '../wrk.ts'

/** More links than all rounds together visit, so that each visit is the first to its link. */
const LINKS = 1_000_000

/**
 * Measures the link store: how long it takes to build during visits, the delay until it contains
 * a change, and redirects of uncached links. Each link is visited once, with everything on one core.
 * Then measures visits to aliases that do not exist, each once.
 */
export async function cold({ log, quick }: BenchOptions): Promise<Figure[]> {
  const [rounds, seconds] = quick ? [1, 3] : [3, 10]
  const bare = await measureBareRate(seconds)
  log(`bare Fastify ${Math.round(bare)}/s`)
  await using brevis = await startBrevis()
  const count = quick ? 100_000 : LINKS
  await createLinks(brevis.database.pool, { prefix: 'cold', count }, log)
  await brevis.waitUntilStored(count)
  const buildSeconds = await measureBuild(brevis, count)
  log(`link store built in ${buildSeconds.toFixed(1)} s`)
  const changeMs = await measureChanges(brevis)
  log(`a change reached the link store in ${changeMs.toFixed(0)} ms`)
  brevis.pinToOneCore()
  let nextLink = 1
  const visit = async (duration: number) => {
    const result = await runWrk({
      url: brevis.url,
      script: createSequentialScript(nextLink),
      seconds: duration,
    })
    // wrk may have requested more links than it counts, so the next round skips some.
    nextLink += result.requests + 1000
    return result
  }
  await visit(2)
  await brevis.waitUntilDrained()
  const before = brevis.readCpu()
  const results = []
  for (let round = 1; round <= rounds; round += 1) {
    const result = await visit(seconds)
    log(`round ${round}: ${Math.round(result.rate)}/s, p50 ${result.p50} ms, p99 ${result.p99} ms`)
    await brevis.waitUntilDrained()
    results.push(result)
  }
  const after = brevis.readCpu()
  const unknown = await visitUnknown(brevis, '', seconds)
  const unknownWithDot = await visitUnknown(brevis, '.', seconds)
  log(`unknown aliases: ${Math.round(unknown)}/s, with a dot ${Math.round(unknownWithDot)}/s`)
  const requests = results.reduce((sum, result) => sum + result.requests, 0)
  const cpuPerRequest = (part: keyof typeof before) =>
    ((after[part] - before[part]) * 1e6) / requests
  const rate = median(results.map((result) => result.rate))
  return [
    { name: 'cold links, one core', value: rate, unit: '/s', goal: { atLeast: 20_000 } },
    { name: 'cold links, one core, under load', value: rate / bare, unit: 'of bare Fastify' },
    {
      name: 'link store, built during visits',
      value: buildSeconds,
      unit: 's',
      goal: { atMost: 60 },
    },
    {
      name: 'link store, delay from an API call to its change',
      value: changeMs,
      unit: 'ms',
      goal: { atMost: 100 },
    },
    { name: 'cold links: p99', value: median(results.map(({ p99 }) => p99)), unit: 'ms' },
    { name: 'CPU time per redirect: HTTP', value: cpuPerRequest('worker'), unit: 'µs' },
    { name: 'CPU time per redirect: importer', value: cpuPerRequest('importer'), unit: 'µs' },
    { name: 'CPU time per redirect: PostgreSQL', value: cpuPerRequest('database'), unit: 'µs' },
    { name: 'unknown aliases, one core', value: unknown, unit: '/s', goal: { atLeast: 8000 } },
    { name: 'unknown aliases, one core', value: unknown / bare, unit: 'of bare Fastify' },
    {
      name: 'unknown aliases with a dot, one core',
      value: unknownWithDot,
      unit: '/s',
      goal: { atLeast: 8000 },
    },
  ]
}

/** Visits aliases that do not exist, each once. Returns the 404 replies per second. */
async function visitUnknown({ url }: Brevis, end: string, seconds: number): Promise<number> {
  let first = 1
  const visit = async (duration: number) => {
    const script = createSequentialScript(first, { prefix: 'unknown-', end })
    const result = await runWrk({ url, script, seconds: duration, toleratesErrors: true })
    if (result.failed !== result.requests) throw new Error('an unknown alias was found')
    first += result.requests + 1000
    return result.rate
  }
  await visit(2)
  return visit(seconds)
}

/** Rebuilds the store during 320 visits per second. Returns the duration in seconds. */
async function measureBuild(brevis: Brevis, links: number): Promise<number> {
  const script = createVisitScript(['cold-1', 'cold-2', 'cold-3'], { delayMs: 50 })
  const started = performance.now()
  await brevis.rebuildStore()
  let isVisiting = true
  const visits = (async () => {
    while (isVisiting) await runWrk({ url: brevis.url, script, seconds: 2, connections: 16 })
  })()
  await brevis.waitUntilStored(links)
  const buildSeconds = (performance.now() - started) / 1000
  isVisiting = false
  await visits
  return buildSeconds
}

const CHANGE_COUNT = 51

/** Returns the median delay in milliseconds from an API call until the store has its change. */
async function measureChanges(brevis: Brevis): Promise<number> {
  const store = openForReading(findStore(brevis.storeFolder) ?? '')
  const durations: number[] = []
  for (let change = 1; change <= CHANGE_COUNT; change += 1) {
    const url = `https://example.com/changed/${change}`
    const started = performance.now()
    await changeLink(brevis, 'cold-1', url)
    while (store.find('link', '/cold-1')?.value.url !== url) await sleep(1)
    durations.push(performance.now() - started)
  }
  store.close()
  return median(durations)
}

/** Returns a wrk script that visits aliases in order, starting with `cold-<first>`. */
function createSequentialScript(first: number, { prefix = 'cold-', end = '' } = {}): string {
  return `
local next = ${first}
function request()
  next = next + 1
  return wrk.format('GET', '/${prefix}' .. (next - 1) .. '${end}')
end
`
}
