import { startBare } from '../bare.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type BenchOptions, type Figure, median } from '../figures.ts'
import { createLinks } from '../make.ts'
import { BOTH_CORES, pin } from '../processes.ts'
import { createVisitScript } from '../visits.ts'
import { runWrk, type WrkResult } from '../wrk.ts'

const LINKS = 1000

/**
 * Measures a single caller that sends each request as soon as it has the reply to the previous one,
 * on both cores and on one. On one core, the importer and PostgreSQL delay replies, because the
 * scheduler lets a running process finish its time slice, often 4 ms.
 */
export async function caller({ log, quick }: BenchOptions): Promise<Figure[]> {
  const [rounds, seconds] = quick ? [1, 2] : [3, 5]
  await using bare = await startBare('bare-fastify')
  await using brevis = await startBrevis()
  const aliases = await createLinks(brevis.database.pool, { prefix: 'bench', count: LINKS })
  const script = createVisitScript(aliases)
  pin([bare.pid], BOTH_CORES)
  const bothCores = { script, seconds, connections: 1, cores: BOTH_CORES }
  const contenders = new Map<string, () => Promise<WrkResult>>([
    ['bare Fastify', () => runWrk({ ...bothCores, url: bare.url })],
    ['Brevis', () => visitUntilDrained(brevis, 'useAllCores', bothCores)],
    [
      'Brevis, one core',
      () => visitUntilDrained(brevis, 'pinToOneCore', { script, seconds, connections: 1 }),
    ],
  ])
  const results = new Map<string, WrkResult[]>()
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
      name: `${name}: p99`,
      value: median(runs.map(({ p99 }) => p99)),
      unit: 'ms',
      ...(name === 'Brevis' && { goal: { atMost: 2 } }),
    },
  ])
}

async function visitUntilDrained(
  brevis: Brevis,
  cores: 'useAllCores' | 'pinToOneCore',
  options: Omit<Parameters<typeof runWrk>[0], 'url'>,
): Promise<WrkResult> {
  brevis[cores]()
  const result = await runWrk({ ...options, url: brevis.url })
  await brevis.waitUntilDrained()
  return result
}
