import { startBare } from '../bare.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type Bench, type Figure, median } from '../figures.ts'
import { makeLinks } from '../make.ts'
import { cpuSeconds } from '../processes.ts'
import { checkRedirects, visitScript } from '../visits.ts'
import { type Load, load } from '../wrk.ts'

const LINKS = 1000

/**
 * The result of one contender: the load, the rate until the last click was in PostgreSQL, and the
 * HTTP process's processor time per request in microseconds.
 */
type Round = Load & { drained: number; cpu: number }
type Contender = { name: string; run: (seconds: number) => Promise<Round> }

/**
 * Measures redirects with full recording relative to minimal servers with Node.js and Fastify. The
 * contenders take turns on the same core.
 */
export async function redirect({ log, quick }: Bench): Promise<Figure[]> {
  const [rounds, seconds] = quick ? [1, 3] : [3, 10]
  await using http = await startBare('bare-http')
  await using framework = await startBare('bare-fastify')
  await using brevis = await startBrevis()
  const aliases = await makeLinks(brevis.database.pool, { prefix: 'bench', count: LINKS })
  const script = visitScript(aliases)
  for (const { url } of [http, framework, brevis]) await checkRedirects(url, aliases)

  const bare = async ({ url, pid }: Bare, time: number): Promise<Round> => {
    const before = cpuSeconds(pid)
    const result = await load({ url, script, seconds: time })
    const cpu = ((cpuSeconds(pid) - before) * 1e6) / result.requests
    return { ...result, drained: result.rate, cpu }
  }
  const contenders: Contender[] = [
    { name: 'node:http', run: (time) => bare(http, time) },
    { name: 'Fastify', run: (time) => bare(framework, time) },
    {
      name: 'Brevis, two cores',
      run: (time) => {
        brevis.useTwoCores()
        return visitUntilDrained(brevis, script, time)
      },
    },
    {
      name: 'Brevis, one core',
      run: (time) => {
        brevis.useOneCore()
        return visitUntilDrained(brevis, script, time)
      },
    },
  ]
  const results = await takeTurns(contenders, { rounds, seconds, warmUp: quick ? 2 : 4, log })
  return toFigures(results)
}

async function takeTurns(
  contenders: readonly Contender[],
  plan: { rounds: number; seconds: number; warmUp: number; log: Bench['log'] },
): Promise<Map<string, Round[]>> {
  const { rounds, seconds, warmUp, log } = plan
  const all = new Map<string, Round[]>(contenders.map(({ name }) => [name, []]))
  for (let round = 0; round <= rounds; round += 1) {
    for (const { name, run } of contenders) {
      const result = await run(round === 0 ? warmUp : seconds)
      const { rate, drained, p50, p99, cpu } = result
      log(
        `${round === 0 ? 'warm-up' : `round ${round}`}: ${name} ${Math.round(rate)}/s, ` +
          `${Math.round(drained)}/s until drained, p50 ${p50} ms, p99 ${p99} ms, ${cpu.toFixed(1)} µs of CPU`,
      )
      if (round > 0) all.get(name)?.push(result)
    }
  }
  return all
}

/** Sends visits for some seconds and measures until PostgreSQL has every click. */
export async function visitUntilDrained(
  brevis: Brevis,
  script: string,
  seconds: number,
): Promise<Round> {
  const before = cpuSeconds(brevis.worker)
  const result = await load({ url: brevis.url, script, seconds })
  const cpu = ((cpuSeconds(brevis.worker) - before) * 1e6) / result.requests
  const started = performance.now()
  await brevis.untilDrained()
  const drainSeconds = (performance.now() - started) / 1000
  return { ...result, drained: result.requests / (result.seconds + drainSeconds), cpu }
}

/**
 * The speed of shared machines varies over minutes, so ratios are computed per round between
 * consecutive contenders, and their median is reported.
 */
function toFigures(results: Map<string, Round[]>): Figure[] {
  const of = (name: string) => results.get(name) ?? []
  const ratio = (name: string, key: 'rate' | 'drained' | 'p99') =>
    median(of(name).map((round, index) => round[key] / (of('Fastify')[index]?.[key] ?? Number.NaN)))
  const unit = 'of bare Fastify'
  const [two, one] = ['Brevis, two cores', 'Brevis, one core'] as const
  return [
    ...[...results].flatMap(([name, rounds]) => {
      const middle = (key: keyof Round) => median(rounds.map((round) => round[key]))
      return [
        { name: `${name}: redirects`, value: middle('rate'), unit: '/s' },
        { name: `${name}: p50`, value: middle('p50'), unit: 'ms' },
        { name: `${name}: p99`, value: middle('p99'), unit: 'ms' },
        { name: `${name}: CPU time per redirect`, value: middle('cpu'), unit: 'µs' },
      ]
    }),
    { name: 'bare node:http', value: ratio('node:http', 'rate'), unit },
    { name: 'two cores, under load', value: ratio(two, 'rate'), unit, goal: { atLeast: 0.9 } },
    {
      name: 'two cores, until drained',
      value: ratio(two, 'drained'),
      unit,
      goal: { atLeast: 0.75 },
    },
    { name: 'two cores, p99', value: ratio(two, 'p99'), unit, goal: { atMost: 2.5 } },
    { name: 'one core, under load', value: ratio(one, 'rate'), unit },
    { name: 'one core, until drained', value: ratio(one, 'drained'), unit, goal: { atLeast: 0.7 } },
    { name: 'one core, p99', value: ratio(one, 'p99'), unit },
  ]
}

type Bare = Awaited<ReturnType<typeof startBare>>
