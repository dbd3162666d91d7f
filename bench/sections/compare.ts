import { setTimeout as sleep } from 'node:timers/promises'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type Bench, type Figure, median } from '../figures.ts'
import { changeLink, makeLinks } from '../make.ts'
import { hasNginx, type Nginx, startNginx } from '../nginx.ts'
import { trafficScript } from '../traffic-script.ts'
import { load } from '../wrk.ts'
import { visitUntilDrained } from './redirect.ts'

const MIB = 2 ** 20
const PREFIX = 'bench'
const GOALS = new Map([
  [1000, 0.55],
  [1_000_000, 0.35],
])

/**
 * Compares Brevis to nginx using a `map` and an access log. Both serve the same links to the same
 * visits, which follow Zipf's law. Each has one core, on which Brevis also imports its clicks, and
 * wrk has the other. They take turns, and ratios are computed per round.
 */
export async function compare({ log, quick }: Bench): Promise<Figure[]> {
  if (!hasNginx()) throw new Error('nginx is missing: apt-get install nginx')
  const figures: Figure[] = []
  for (const links of quick ? [1000, 20_000] : [1000, 1_000_000]) {
    const all = await compareWith(links, {
      log: (line) => log(`${links} links: ${line}`),
      quick,
    })
    figures.push(
      ...all.map((figure) => ({
        ...figure,
        name: `${links.toLocaleString('en-US')} links: ${figure.name}`,
      })),
    )
  }
  return figures
}

async function compareWith(links: number, { log, quick }: Bench): Promise<Figure[]> {
  const [rounds, seconds] = quick ? [1, 3] : [2, 10]
  const visitors = quick ? 20_000 : 200_000
  const script = trafficScript({ prefix: PREFIX, links, choice: 'zipf', visitors })
  await using brevis = await startBrevis()
  await makeLinks(brevis.database.pool, { prefix: PREFIX, count: links }, log)
  brevis.useOneCore()
  await using nginx = await startNginx({ prefix: PREFIX, count: links })
  const ours: Awaited<ReturnType<typeof visitUntilDrained>>[] = []
  const theirs: Awaited<ReturnType<typeof load>>[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const time = round === 0 ? seconds / 2 : seconds
    const other = await load({ url: nginx.url, script, seconds: time })
    const own = await visitUntilDrained(brevis, script, time)
    const rates = [other.rate, own.rate, own.drained].map(Math.round)
    log(`round ${round}: nginx ${rates[0]}/s, Brevis ${rates[1]}/s, ${rates[2]}/s until drained`)
    // The first round is a warm-up.
    if (round === 0) continue
    ours.push(own)
    theirs.push(other)
  }
  const memory = Object.values(brevis.memory()).reduce((sum, bytes) => sum + bytes, 0)
  const ratio = (key: 'rate' | 'drained') =>
    median(ours.map((own, index) => own[key] / (theirs[index]?.rate ?? Number.NaN)))
  const middle = (runs: readonly { rate: number; p99: number }[], key: 'rate' | 'p99') =>
    median(runs.map((run) => run[key]))
  const goal = GOALS.get(links)
  return [
    { name: 'nginx: redirects', value: middle(theirs, 'rate'), unit: '/s' },
    { name: 'Brevis: redirects', value: middle(ours, 'rate'), unit: '/s' },
    {
      ...{ name: 'Brevis: redirects, until drained', unit: '/s' },
      value: median(ours.map(({ drained }) => drained)),
    },
    { name: 'under load', value: ratio('rate'), unit: 'of nginx' },
    {
      ...{ name: 'until drained', value: ratio('drained'), unit: 'of nginx' },
      ...(goal !== undefined && { goal: { atLeast: goal } }),
    },
    { name: 'nginx: p99', value: middle(theirs, 'p99'), unit: 'ms' },
    { name: 'Brevis: p99', value: middle(ours, 'p99'), unit: 'ms' },
    { name: 'nginx: memory', value: nginx.memory() / MIB, unit: 'MiB' },
    { name: 'Brevis: memory, with PostgreSQL', value: memory / MIB, unit: 'MiB' },
    ...(await measureChange('nginx', nginx.url, () => nginx.change(CHANGED), script)),
    ...(await measureChange(
      'Brevis',
      brevis.url,
      () => changeLink(brevis, `${PREFIX}-1`, CHANGED),
      script,
    )),
    ...(await measureKills(nginx, brevis, script)),
  ]
}

const CHANGED = 'https://example.com/changed'
const CHANGE_AFTER_MS = 2000
const CHANGE_SECONDS = 16

/** Measures the time until a changed link takes effect during visits. */
async function measureChange(
  name: string,
  url: string,
  change: () => Promise<void>,
  script: string,
): Promise<Figure[]> {
  const visiting = load({
    ...{ url, script, seconds: CHANGE_SECONDS, connections: 16, toleratesErrors: true },
  })
  await sleep(CHANGE_AFTER_MS)
  const began = performance.now()
  await change()
  while ((await destinationOf(`${url}/${PREFIX}-1`)) !== CHANGED) await sleep(5)
  const value = (performance.now() - began) / 1000
  const { failed } = await visiting
  return [
    { name: `${name}: delay until a changed link takes effect`, value, unit: 's' },
    { name: `${name}: failed visits during a change`, value: failed, unit: '' },
  ]
}

async function destinationOf(url: string): Promise<string | null> {
  try {
    return (await fetch(url, { redirect: 'manual' })).headers.get('location')
  } catch {
    return null
  }
}

/**
 * Kills the serving process during visits and counts the replies whose visits were not recorded.
 */
async function measureKills(nginx: Nginx, brevis: Brevis, script: string): Promise<Figure[]> {
  const kill = async (url: string, pids: () => number[]) => {
    const visiting = load({ ...{ url, script, seconds: 6, toleratesErrors: true } })
    await sleep(3000)
    for (const pid of pids()) process.kill(pid, 'SIGKILL')
    return (await visiting).requests
  }
  const lines = await nginx.logLines()
  const theirs = await kill(nginx.url, nginx.workers)
  const logged = (await nginx.logLines()) - lines
  await brevis.untilDrained()
  const clicks = await brevis.imported()
  const ours = await kill(brevis.url, () => [brevis.worker])
  const counted = (await untilStill(brevis)) - clicks
  return [
    {
      name: 'nginx: replies without a log line after SIGKILL',
      value: lost(theirs, logged),
      unit: '',
    },
    { name: 'Brevis: replies without a click after SIGKILL', value: lost(ours, counted), unit: '' },
  ]
}

/** Recorded visits may exceed replies, because the load generator stops waiting for some. */
function lost(answers: number, recorded: number): number {
  return Math.max(0, answers - recorded)
}

/** Returns the number of clicks in the database when none have arrived for five seconds. */
async function untilStill({ imported }: Brevis): Promise<number> {
  for (let before = -1, since = performance.now(); ; ) {
    const clicks = await imported()
    if (clicks !== before) since = performance.now()
    else if (performance.now() - since > 5000) return clicks
    before = clicks
    await sleep(200)
  }
}
