import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type Bench, type Figure, percentile } from '../figures.ts'
import { fillYears } from '../fill-days.ts'
import { accountId, beginSession, makeLinks } from '../make.ts'
import { mainThreadMs, peakBytes } from '../processes.ts'

const MIB = 1024 * 1024
const YEARS = 10

const REDIRECT_INTERVAL_MS = 5
const IDLE_MS = 10_000
/** V8's limits in a container with 256 MB of memory. */
const HEAP_LIMITS = '--max-old-space-size=128 --max-semi-space-size=4'

/**
 * The durations of redirects, and the longest time that the worker's processor was busy during one
 * of them.
 */
type Waits = { worst: number; p99: number; busy: number }
type Measured = Waits & { seconds: number; bytes: number }

/**
 * Measures redirects during exports from the console: many links without daily statistics, and some
 * with ten years of them, a few of those with hundreds of labels per day.
 */
export async function exporting({ log, quick }: Bench): Promise<Figure[]> {
  const [many, busy, light] = quick ? [50, 5, 10_000] : [400, 20, 200_000]
  await using brevis = await startBrevis({ NODE_OPTIONS: HEAP_LIMITS })
  const { pool } = brevis.database
  await makeLinks(pool, { prefix: 'bench', count: many + busy })
  const { rows } = await pool.query<{ id: number }>('select id from links order by id')
  const ids = rows.map(({ id }) => id)
  await makeLinks(pool, { prefix: 'light', count: light, clicks: '(random() * 100)::int' })
  log(`storing ${YEARS} years of ${ids.length} links`)
  await fillYears(pool, ids.slice(0, busy), { years: YEARS, share: 1 })
  await fillYears(pool, ids.slice(busy), { years: YEARS, share: 0.05 })
  await pool.query('vacuum analyze click_days')
  const cookie = await beginSession(pool, await accountId(pool))
  brevis.useBothCores()
  await redirectsDuring(brevis, sleep(1000))
  const quiet = await redirectsDuring(brevis, sleep(IDLE_MS))
  log(`quiet: at most ${quiet.worst.toFixed(1)} ms`)
  const figures = [figure('redirect, idle, longest', quiet.worst, 'ms')]
  for (const format of ['jsonl', 'csv']) {
    const { seconds, bytes, worst, p99, busy } = await measure(brevis, cookie, format)
    log(`${format}: ${Math.round(bytes / MIB)} MiB in ${seconds.toFixed(1)} s; at most ${worst} ms`)
    figures.push(
      figure(`redirect during ${format}, longest`, worst, 'ms'),
      // On a busy machine, elapsed time includes other programs.
      {
        ...figure(`… CPU time of the worker during one redirect, maximum`, busy, 'ms'),
        goal: { atMost: 100 },
      },
      figure(`redirect during ${format}, p99`, p99, 'ms'),
      figure(`export as ${format}`, bytes / MIB / seconds, 'MiB/s'),
    )
  }
  const peak = figure('worker memory, peak', peakBytes(brevis.worker) / MIB, 'MiB')
  return [...figures, { ...peak, goal: { atMost: 256 } }]
}

function figure(name: string, value: number, unit: string): Figure {
  return { name, value, unit }
}

/** Downloads an export in another process, so that this one only measures redirects. */
async function measure(brevis: Brevis, cookie: string, format: string): Promise<Measured> {
  const url = `${brevis.url}/console/export?format=${format}`
  const words = ['-sS', '--fail', '-o', '/dev/null', '-w', '%{size_download}', '-H']
  const download = spawn('curl', [...words, `cookie: ${cookie}`, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  download.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const begun = performance.now()
  const ended = once(download, 'close')
  const waits = await redirectsDuring(brevis, ended)
  if (download.exitCode !== 0) throw new Error(`the export failed after ${output} bytes`)
  return { seconds: (performance.now() - begun) / 1000, bytes: Number(output), ...waits }
}

/** Measures redirects, in milliseconds, while `work` runs. */
async function redirectsDuring({ url, worker }: Brevis, work: Promise<unknown>): Promise<Waits> {
  const durations: number[] = []
  let busy = 0
  let isOver = false
  const ended = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    const [begun, busyBefore] = [performance.now(), mainThreadMs(worker)]
    const reply = await fetch(`${url}/bench-1`, { redirect: 'manual' })
    await reply.arrayBuffer()
    if (reply.status !== 302) throw new Error(`a redirect returned ${reply.status}`)
    durations.push(performance.now() - begun)
    busy = Math.max(busy, mainThreadMs(worker) - busyBefore)
    await sleep(REDIRECT_INTERVAL_MS)
  }
  await ended
  return { worst: Math.max(...durations), p99: percentile(durations, 99), busy }
}
