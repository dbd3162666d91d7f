import { startBare } from '../bare.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type BenchOptions, type Figure, median } from '../figures.ts'
import { createLinks } from '../make.ts'
import { readCpuSeconds } from '../processes.ts'
import { checkRedirects, createVisitScript } from '../visits.ts'
import { runWrk, type WrkResult } from '../wrk.ts'

const LINKS = 1000

/**
 * The result of one contender in one round. `drainedRate` includes the time until PostgreSQL has
 * every click. `cpu` is the CPU time of the HTTP process per request in microseconds.
 */
type RoundResult = WrkResult & { drainedRate: number; cpu: number }
type Contender = { name: string; run: (seconds: number) => Promise<RoundResult> }

/**
 * Measures redirects with click recording, relative to minimal servers with Node.js and Fastify. The
 * contenders take turns on the same core.
 */
export async function redirect({ log, quick }: BenchOptions): Promise<Figure[]> {
  const [rounds, seconds] = quick ? [1, 3] : [3, 10]
  await using http = await startBare('bare-http')
  await using framework = await startBare('bare-fastify')
  await using brevis = await startBrevis()
  const aliases = await createLinks(brevis.database.pool, { prefix: 'bench', count: LINKS })
  const script = createVisitScript(aliases)
  for (const { url } of [http, framework, brevis]) await checkRedirects(url, aliases)

  const runBare = async ({ url, pid }: Bare, duration: number): Promise<RoundResult> => {
    const before = readCpuSeconds(pid)
    const result = await runWrk({ url, script, seconds: duration })
    const cpu = ((readCpuSeconds(pid) - before) * 1e6) / result.requests
    return { ...result, drainedRate: result.rate, cpu }
  }
  const contenders: Contender[] = [
    { name: 'node:http', run: (duration) => runBare(http, duration) },
    { name: 'Fastify', run: (duration) => runBare(framework, duration) },
    {
      name: 'Brevis, two cores',
      run: (duration) => {
        brevis.pinToSeparateCores()
        return visitUntilDrained(brevis, script, duration)
      },
    },
    {
      name: 'Brevis, one core',
      run: (duration) => {
        brevis.pinToOneCore()
        return visitUntilDrained(brevis, script, duration)
      },
    },
  ]
  const results = await runInTurns(contenders, { rounds, seconds, warmUp: quick ? 2 : 4, log })
  return toFigures(results)
}

async function runInTurns(
  contenders: readonly Contender[],
  plan: { rounds: number; seconds: number; warmUp: number; log: BenchOptions['log'] },
): Promise<Map<string, RoundResult[]>> {
  const { rounds, seconds, warmUp, log } = plan
  const results = new Map<string, RoundResult[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, run } of contenders) {
      const result = await run(round === 0 ? warmUp : seconds)
      const { rate, drainedRate, p50, p99, cpu } = result
      log(
        `${round === 0 ? 'warm-up' : `round ${round}`}: ${name} ${Math.round(rate)}/s, ` +
          `${Math.round(drainedRate)}/s until drained, p50 ${p50} ms, p99 ${p99} ms, ${cpu.toFixed(1)} µs of CPU`,
      )
      if (round > 0) results.get(name)?.push(result)
    }
  }
  return results
}

/** Sends visits for some seconds, then waits until PostgreSQL has every click. */
export async function visitUntilDrained(
  brevis: Brevis,
  script: string,
  seconds: number,
): Promise<RoundResult> {
  const before = readCpuSeconds(brevis.worker)
  const result = await runWrk({ url: brevis.url, script, seconds })
  const cpu = ((readCpuSeconds(brevis.worker) - before) * 1e6) / result.requests
  const started = performance.now()
  await brevis.waitUntilDrained()
  const drainSeconds = (performance.now() - started) / 1000
  return { ...result, drainedRate: result.requests / (result.seconds + drainSeconds), cpu }
}

/**
 * Returns medians, and ratios to bare Fastify. The speed of shared machines varies over minutes, so
 * ratios are computed per round before taking their median.
 */
function toFigures(results: Map<string, RoundResult[]>): Figure[] {
  const roundsOf = (name: string) => results.get(name) ?? []
  const ratio = (name: string, key: 'rate' | 'drainedRate' | 'p99') =>
    median(
      roundsOf(name).map(
        (round, index) => round[key] / (roundsOf('Fastify')[index]?.[key] ?? Number.NaN),
      ),
    )
  const unit = 'of bare Fastify'
  const [twoCores, oneCore] = ['Brevis, two cores', 'Brevis, one core'] as const
  return [
    ...[...results].flatMap(([name, rounds]) => {
      const medianOf = (key: keyof RoundResult) => median(rounds.map((round) => round[key]))
      return [
        { name: `${name}: redirects`, value: medianOf('rate'), unit: '/s' },
        { name: `${name}: p50`, value: medianOf('p50'), unit: 'ms' },
        { name: `${name}: p99`, value: medianOf('p99'), unit: 'ms' },
        { name: `${name}: CPU time per redirect`, value: medianOf('cpu'), unit: 'µs' },
      ]
    }),
    { name: 'bare node:http', value: ratio('node:http', 'rate'), unit },
    { name: 'two cores, under load', value: ratio(twoCores, 'rate'), unit, goal: { atLeast: 0.9 } },
    {
      name: 'two cores, until drained',
      value: ratio(twoCores, 'drainedRate'),
      unit,
      goal: { atLeast: 0.75 },
    },
    { name: 'two cores, p99', value: ratio(twoCores, 'p99'), unit, goal: { atMost: 2.5 } },
    { name: 'one core, under load', value: ratio(oneCore, 'rate'), unit },
    {
      name: 'one core, until drained',
      value: ratio(oneCore, 'drainedRate'),
      unit,
      goal: { atLeast: 0.7 },
    },
    { name: 'one core, p99', value: ratio(oneCore, 'p99'), unit },
  ]
}

type Bare = Awaited<ReturnType<typeof startBare>>
