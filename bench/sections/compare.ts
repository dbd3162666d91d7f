import { setTimeout as sleep } from 'node:timers/promises'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type BenchOptions, type Figure, median } from '../figures.ts'
import { changeLink, createLinks } from '../make.ts'
import { hasNginx, type Nginx, startNginx } from '../nginx.ts'
import { createTrafficScript } from '../traffic-script.ts'
import { runWrk } from '../wrk.ts'
import { visitUntilDrained } from './redirect.ts'

const MIB = 2 ** 20
const PREFIX = 'bench'
const GOALS = new Map([
  [1000, 0.55],
  [1_000_000, 0.35],
])

/**
 * Compares Brevis to nginx with a `map` and an access log. Both serve the same links, with visits
 * that follow Zipf's law. They take turns on one core, where Brevis also imports its clicks. wrk runs
 * on the other core. Ratios are computed per round.
 */
export async function compare({ log, quick }: BenchOptions): Promise<Figure[]> {
  if (!hasNginx()) throw new Error('nginx is missing: apt-get install nginx')
  const figures: Figure[] = []
  for (const links of quick ? [1000, 20_000] : [1000, 1_000_000]) {
    const linkFigures = await compareLinks(links, {
      log: (line) => log(`${links} links: ${line}`),
      quick,
    })
    figures.push(
      ...linkFigures.map((figure) => ({
        ...figure,
        name: `${links.toLocaleString('en-US')} links: ${figure.name}`,
      })),
    )
  }
  return figures
}

async function compareLinks(links: number, { log, quick }: BenchOptions): Promise<Figure[]> {
  const [rounds, seconds] = quick ? [1, 3] : [2, 10]
  const visitors = quick ? 20_000 : 200_000
  const script = createTrafficScript({ prefix: PREFIX, links, distribution: 'zipf', visitors })
  await using brevis = await startBrevis()
  await createLinks(brevis.database.pool, { prefix: PREFIX, count: links }, log)
  brevis.pinToOneCore()
  await using nginx = await startNginx({ prefix: PREFIX, count: links })
  const brevisResults: Awaited<ReturnType<typeof visitUntilDrained>>[] = []
  const nginxResults: Awaited<ReturnType<typeof runWrk>>[] = []
  for (let round = 0; round <= rounds; round += 1) {
    const duration = round === 0 ? seconds / 2 : seconds
    const nginxResult = await runWrk({ url: nginx.url, script, seconds: duration })
    const brevisResult = await visitUntilDrained(brevis, script, duration)
    const rates = [nginxResult.rate, brevisResult.rate, brevisResult.drainedRate].map(Math.round)
    log(`round ${round}: nginx ${rates[0]}/s, Brevis ${rates[1]}/s, ${rates[2]}/s until drained`)
    // The first round is a warm-up.
    if (round === 0) continue
    brevisResults.push(brevisResult)
    nginxResults.push(nginxResult)
  }
  const memory = Object.values(brevis.readMemory()).reduce((sum, bytes) => sum + bytes, 0)
  const ratio = (key: 'rate' | 'drainedRate') =>
    median(
      brevisResults.map(
        (brevisResult, index) => brevisResult[key] / (nginxResults[index]?.rate ?? Number.NaN),
      ),
    )
  const medianOf = (runs: readonly { rate: number; p99: number }[], key: 'rate' | 'p99') =>
    median(runs.map((run) => run[key]))
  const goal = GOALS.get(links)
  return [
    { name: 'nginx: redirects', value: medianOf(nginxResults, 'rate'), unit: '/s' },
    { name: 'Brevis: redirects', value: medianOf(brevisResults, 'rate'), unit: '/s' },
    {
      name: 'Brevis: redirects, until drained',
      unit: '/s',
      value: median(brevisResults.map(({ drainedRate }) => drainedRate)),
    },
    { name: 'under load', value: ratio('rate'), unit: 'of nginx' },
    {
      name: 'until drained',
      value: ratio('drainedRate'),
      unit: 'of nginx',
      ...(goal !== undefined && { goal: { atLeast: goal } }),
    },
    { name: 'nginx: p99', value: medianOf(nginxResults, 'p99'), unit: 'ms' },
    { name: 'Brevis: p99', value: medianOf(brevisResults, 'p99'), unit: 'ms' },
    { name: 'nginx: memory', value: nginx.readMemory() / MIB, unit: 'MiB' },
    { name: 'Brevis: memory, with PostgreSQL', value: memory / MIB, unit: 'MiB' },
    ...(await measureChange('nginx', nginx.url, () => nginx.changeFirstLink(CHANGED_URL), script)),
    ...(await measureChange(
      'Brevis',
      brevis.url,
      () => changeLink(brevis, `${PREFIX}-1`, CHANGED_URL),
      script,
    )),
    ...(await measureKills(nginx, brevis, script)),
  ]
}

const CHANGED_URL = 'https://example.com/changed'
const CHANGE_AFTER_MS = 2000
const CHANGE_SECONDS = 16

/** Measures the time until a changed link takes effect during visits. */
async function measureChange(
  name: string,
  url: string,
  change: () => Promise<void>,
  script: string,
): Promise<Figure[]> {
  const visits = runWrk({
    url,
    script,
    seconds: CHANGE_SECONDS,
    connections: 16,
    toleratesErrors: true,
  })
  await sleep(CHANGE_AFTER_MS)
  const startedAt = performance.now()
  await change()
  while ((await fetchDestination(`${url}/${PREFIX}-1`)) !== CHANGED_URL) await sleep(5)
  const value = (performance.now() - startedAt) / 1000
  const { failed } = await visits
  return [
    { name: `${name}: delay until a changed link takes effect`, value, unit: 's' },
    { name: `${name}: failed visits during a change`, value: failed, unit: '' },
  ]
}

async function fetchDestination(url: string): Promise<string | null> {
  try {
    return (await fetch(url, { redirect: 'manual' })).headers.get('location')
  } catch {
    return null
  }
}

/**
 * Kills the serving process during visits and counts replies to visits that were not recorded.
 */
async function measureKills(nginx: Nginx, brevis: Brevis, script: string): Promise<Figure[]> {
  const visitAndKill = async (url: string, pids: () => number[]) => {
    const visits = runWrk({ url, script, seconds: 6, toleratesErrors: true })
    await sleep(3000)
    for (const pid of pids()) process.kill(pid, 'SIGKILL')
    return (await visits).requests
  }
  const linesBefore = await nginx.countLogLines()
  const nginxReplies = await visitAndKill(nginx.url, nginx.findWorkers)
  const loggedVisits = (await nginx.countLogLines()) - linesBefore
  await brevis.waitUntilDrained()
  const clicksBefore = await brevis.countImported()
  const brevisReplies = await visitAndKill(brevis.url, () => [brevis.worker])
  const countedVisits = (await waitUntilSettled(brevis)) - clicksBefore
  return [
    {
      name: 'nginx: replies without a log line after SIGKILL',
      value: countLost(nginxReplies, loggedVisits),
      unit: '',
    },
    {
      name: 'Brevis: replies without a click after SIGKILL',
      value: countLost(brevisReplies, countedVisits),
      unit: '',
    },
  ]
}

/** More visits may be recorded than replies counted, because wrk stops waiting for some. */
function countLost(replies: number, recorded: number): number {
  return Math.max(0, replies - recorded)
}

/** Waits until no clicks have been imported for five seconds. Returns the number of clicks. */
async function waitUntilSettled({ countImported }: Brevis): Promise<number> {
  for (let previous = -1, changedAt = performance.now(); ; ) {
    const clicks = await countImported()
    if (clicks !== previous) changedAt = performance.now()
    else if (performance.now() - changedAt > 5000) return clicks
    previous = clicks
    await sleep(200)
  }
}
