import { startBare } from '../bare.ts'
import { startBrevis } from '../brevis.ts'
import type { BenchOptions, Figure } from '../figures.ts'
import { createLinks } from '../make.ts'
import { createTrafficScript } from '../traffic-script.ts'
import { runWrk } from '../wrk.ts'

const MIB = 2 ** 20
const LINKS = 1000

/**
 * Measures a minute of visits by 200,000 visitors with 200 User-Agents and 200 referrers. Everything
 * but wrk runs on one core. A minute shows whether imports keep up or fall behind. The bare server is
 * measured before and after, because the speed of shared machines varies.
 */
export async function long({ log, quick }: BenchOptions): Promise<Figure[]> {
  const [seconds, bareSeconds] = quick ? [5, 2] : [60, 10]
  const visitors = quick ? 20_000 : 200_000
  const script = createTrafficScript({
    prefix: 'bench',
    links: LINKS,
    distribution: 'even',
    visitors,
    referrers: 200,
  })
  await using bare = await startBare('bare-fastify')
  await using brevis = await startBrevis()
  await createLinks(brevis.database.pool, { prefix: 'bench', count: LINKS })
  brevis.pinToOneCore()
  await runWrk({ url: bare.url, script, seconds: 2 })
  await runWrk({ url: brevis.url, script, seconds: quick ? 2 : 5 })
  await brevis.waitUntilDrained()

  const before = await runWrk({ url: bare.url, script, seconds: bareSeconds })
  log(`bare Fastify ${Math.round(before.rate)}/s; visiting for ${seconds} s`)
  const cpuBefore = brevis.readCpu()
  const visits = await runWrk({ url: brevis.url, script, seconds })
  const memory = Object.values(brevis.readMemory()).reduce((sum, bytes) => sum + bytes, 0)
  const drainStartedAt = performance.now()
  await brevis.waitUntilDrained()
  const drainSeconds = (performance.now() - drainStartedAt) / 1000
  const cpuAfter = brevis.readCpu()
  const after = await runWrk({ url: bare.url, script, seconds: bareSeconds })
  log(
    `bare Fastify ${Math.round(after.rate)}/s; the last click was counted after ${drainSeconds.toFixed(1)} s`,
  )

  const bareRate = (before.rate + after.rate) / 2
  const drained = visits.requests / (visits.seconds + drainSeconds)
  const unit = 'of bare Fastify'
  const parts = ['worker', 'importer', 'database'] as const
  return [
    { name: 'bare Fastify: redirects', value: bareRate, unit: '/s' },
    { name: 'redirects, under load', value: visits.rate, unit: '/s' },
    { name: 'redirects, until drained', value: drained, unit: '/s' },
    { name: 'under load', value: visits.rate / bareRate, unit },
    { name: 'until drained', value: drained / bareRate, unit, goal: { atLeast: 0.55 } },
    { name: 'p50', value: visits.p50, unit: 'ms' },
    { name: 'p99', value: visits.p99, unit: 'ms' },
    { name: 'delay until the last click is counted', value: drainSeconds, unit: 's' },
    ...parts.map((part) => ({
      name: `CPU time per redirect: ${part}`,
      value: ((cpuAfter[part] - cpuBefore[part]) * 1e6) / visits.requests,
      unit: 'µs',
    })),
    {
      name: 'memory of all processes, loaded',
      value: memory / MIB,
      unit: 'MiB',
      goal: { atMost: 500 },
    },
  ]
}
