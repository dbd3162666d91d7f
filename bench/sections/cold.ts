import { setTimeout as sleep } from 'node:timers/promises'
import { openForReading } from '../../src/links/store/open-store.ts'
import { findStore } from '../../src/links/store/store-file.ts'
import { rateOfBare } from '../bare.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type Bench, type Figure, median } from '../figures.ts'
import { changeLink, makeLinks } from '../make.ts'
import { visitScript } from '../visits.ts'
import { load } from '../wrk.ts'

/** More than all rounds together visit. */
const LINKS = 1_000_000

/**
 * Measures the link store: the time to build it during visits and to follow a change, and redirects of
 * uncached links, each visited once, with everything on one core.
 */
export async function cold({ log, quick }: Bench): Promise<Figure[]> {
  const [rounds, seconds] = quick ? [1, 3] : [3, 10]
  const bare = await rateOfBare(seconds)
  log(`bare Fastify ${Math.round(bare)}/s`)
  await using brevis = await startBrevis()
  const count = quick ? 100_000 : LINKS
  await makeLinks(brevis.database.pool, { prefix: 'cold', count }, log)
  await brevis.untilStored(count)
  const built = await measureBuild(brevis, count)
  log(`link store built in ${built.toFixed(1)} s`)
  const followed = await measureChanges(brevis)
  log(`a change followed in ${followed.toFixed(0)} ms`)
  brevis.useOneCore()
  let next = 1
  const visit = async (time: number) => {
    const result = await load({ url: brevis.url, script: eachOnce(next), seconds: time })
    // Visits that timed out in wrk count as well.
    next += result.requests + 1000
    return result
  }
  await visit(2)
  await brevis.untilDrained()
  const before = brevis.cpu()
  const results = []
  for (let round = 1; round <= rounds; round += 1) {
    const result = await visit(seconds)
    log(`round ${round}: ${Math.round(result.rate)}/s, p50 ${result.p50} ms, p99 ${result.p99} ms`)
    await brevis.untilDrained()
    results.push(result)
  }
  const after = brevis.cpu()
  const requests = results.reduce((sum, each) => sum + each.requests, 0)
  const each = (part: keyof typeof before) => ((after[part] - before[part]) * 1e6) / requests
  const rate = median(results.map((result) => result.rate))
  return [
    { name: 'cold links, one core', value: rate, unit: '/s', goal: { atLeast: 20_000 } },
    { name: 'cold links, one core, under load', value: rate / bare, unit: 'of bare Fastify' },
    { name: 'link store, built during visits', value: built, unit: 's', goal: { atMost: 60 } },
    {
      name: 'link store, from a call of the API to its change',
      value: followed,
      unit: 'ms',
      goal: { atMost: 100 },
    },
    { name: 'cold links: p99', value: median(results.map(({ p99 }) => p99)), unit: 'ms' },
    { name: 'CPU time per redirect: HTTP', value: each('worker'), unit: 'µs' },
    { name: 'CPU time per redirect: importer', value: each('importer'), unit: 'µs' },
    { name: 'CPU time per redirect: PostgreSQL', value: each('database'), unit: 'µs' },
  ]
}

/** Rebuilds the store while links are visited, at 320 visits a second. Returns the seconds it takes. */
async function measureBuild(brevis: Brevis, links: number): Promise<number> {
  const script = visitScript(['cold-1', 'cold-2', 'cold-3'], { delay: 50 })
  const started = performance.now()
  await brevis.rebuildStore()
  let visiting = true
  const visits = (async () => {
    while (visiting) await load({ url: brevis.url, script, seconds: 2, connections: 16 })
  })()
  await brevis.untilStored(links)
  const built = (performance.now() - started) / 1000
  visiting = false
  await visits
  return built
}

const CHANGES = 51

/** Returns the median of milliseconds from a call of the API until the store has its change. */
async function measureChanges(brevis: Brevis): Promise<number> {
  const store = openForReading(findStore(brevis.storeFolder) ?? '')
  const times: number[] = []
  for (let change = 1; change <= CHANGES; change += 1) {
    const url = `https://example.com/changed/${change}`
    const started = performance.now()
    await changeLink(brevis, 'cold-1', url)
    while (store.find('link', '/cold-1')?.value.url !== url) await sleep(1)
    times.push(performance.now() - started)
  }
  store.close()
  return median(times)
}

/** Returns a wrk script that visits links in order, starting with number `first`. */
function eachOnce(first: number): string {
  return `
local next = ${first}
function request()
  next = next + 1
  return wrk.format('GET', '/cold-' .. (next - 1))
end
`
}
