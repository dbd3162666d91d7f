import { startBare } from '../bare.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type Bench, type Figure, median } from '../figures.ts'
import { makeLinks } from '../make.ts'
import { BOTH_CORES, pin } from '../processes.ts'
import { visitScript } from '../visits.ts'
import { type Load, load } from '../wrk.ts'

const LINKS = 1000

/**
 * Measures a single caller that sends its next request as soon as the previous one is answered. The
 * system schedules everything on both cores. With one core, the importer and PostgreSQL delay replies: a
 * process that becomes ready waits until the running one has used its slice, 4 ms on many systems.
 */
export async function caller({ log, quick }: Bench): Promise<Figure[]> {
  const [rounds, seconds] = quick ? [1, 2] : [3, 5]
  await using bare = await startBare('bare-fastify')
  await using brevis = await startBrevis()
  const aliases = await makeLinks(brevis.database.pool, { prefix: 'bench', count: LINKS })
  const script = visitScript(aliases)
  pin([bare.pid], BOTH_CORES)
  const both = { script, seconds, connections: 1, cores: BOTH_CORES }
  const contenders = new Map<string, () => Promise<Load>>([
    ['bare Fastify', () => load({ ...both, url: bare.url })],
    ['Brevis', () => visit(brevis, 'useBothCores', both)],
    ['Brevis, one core', () => visit(brevis, 'useOneCore', { script, seconds, connections: 1 })],
  ])
  const results = new Map<string, Load[]>()
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, run] of contenders) {
      const result = await run()
      log(`round ${round}: ${name} p50 ${result.p50} ms, p99 ${result.p99} ms`)
      // The first round is a warm-up.
      if (round > 0) results.set(name, [...(results.get(name) ?? []), result])
    }
  }
  return [...results].flatMap(([name, runs]) => [
    { name: `${name}: p50`, value: median(runs.map(({ p50 }) => p50)), unit: 'ms' },
    {
      ...{ name: `${name}: p99`, value: median(runs.map(({ p99 }) => p99)), unit: 'ms' },
      ...(name === 'Brevis' && { goal: { atMost: 2 } }),
    },
  ])
}

async function visit(
  brevis: Brevis,
  use: 'useBothCores' | 'useOneCore',
  options: Omit<Parameters<typeof load>[0], 'url'>,
): Promise<Load> {
  brevis[use]()
  const result = await load({ ...options, url: brevis.url })
  await brevis.untilDrained()
  return result
}
