import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type BenchOptions, type Figure, percentile } from '../figures.ts'
import { fillYears } from '../fill-days.ts'
import { createLinks, createSession, readAccountId } from '../make.ts'
import { readMainThreadMs, readPeakBytes } from '../processes.ts'

const MIB = 1024 * 1024
const YEARS = 10

const REDIRECT_INTERVAL_MS = 5
const IDLE_MS = 10_000
/** V8's limits in a container with 256 MB of memory. */
const HEAP_LIMITS = '--max-old-space-size=128 --max-semi-space-size=4'

/**
 * Durations of redirects in milliseconds. `maxCpuMs` is the most CPU time that the worker used
 * during one redirect.
 */
type RedirectTimes = { worstMs: number; p99Ms: number; maxCpuMs: number }
type ExportResult = RedirectTimes & { seconds: number; bytes: number }

/**
 * Measures redirects during exports from the console. Most links have no daily statistics, some have
 * ten years of them, and a few of these have hundreds of labels per day.
 */
export async function exporting({ log, quick }: BenchOptions): Promise<Figure[]> {
  const [quietLinks, busyLinks, linksWithoutDays] = quick ? [50, 5, 10_000] : [400, 20, 200_000]
  await using brevis = await startBrevis({ NODE_OPTIONS: HEAP_LIMITS })
  const { pool } = brevis.database
  await createLinks(pool, { prefix: 'bench', count: quietLinks + busyLinks })
  const { rows } = await pool.query<{ id: number }>('select id from links order by id')
  const ids = rows.map(({ id }) => id)
  await createLinks(pool, {
    prefix: 'light',
    count: linksWithoutDays,
    clicks: '(random() * 100)::int',
  })
  log(`storing ${YEARS} years of statistics for ${ids.length} links`)
  await fillYears(pool, ids.slice(0, busyLinks), { years: YEARS, share: 1 })
  await fillYears(pool, ids.slice(busyLinks), { years: YEARS, share: 0.05 })
  await pool.query('vacuum analyze click_days')
  const cookie = await createSession(pool, await readAccountId(pool))
  brevis.useAllCores()
  await measureRedirects(brevis, sleep(1000))
  const idle = await measureRedirects(brevis, sleep(IDLE_MS))
  log(`idle: at most ${idle.worstMs.toFixed(1)} ms`)
  const figures = [createFigure('redirect, idle, longest', idle.worstMs, 'ms')]
  for (const format of ['jsonl', 'csv']) {
    const { seconds, bytes, worstMs, p99Ms, maxCpuMs } = await measure(brevis, cookie, format)
    log(
      `${format}: ${Math.round(bytes / MIB)} MiB in ${seconds.toFixed(1)} s; at most ${worstMs} ms`,
    )
    figures.push(
      createFigure(`redirect during ${format}, longest`, worstMs, 'ms'),
      // On a busy machine, elapsed time also includes other programs.
      {
        ...createFigure(
          `redirect during ${format}, maximum CPU time of the worker`,
          maxCpuMs,
          'ms',
        ),
        goal: { atMost: 100 },
      },
      createFigure(`redirect during ${format}, p99`, p99Ms, 'ms'),
      createFigure(`export as ${format}`, bytes / MIB / seconds, 'MiB/s'),
    )
  }
  const peak = createFigure('worker memory, peak', readPeakBytes(brevis.worker) / MIB, 'MiB')
  return [...figures, { ...peak, goal: { atMost: 256 } }]
}

function createFigure(name: string, value: number, unit: string): Figure {
  return { name, value, unit }
}

/** Downloads an export in another process, while this process measures redirects. */
async function measure(brevis: Brevis, cookie: string, format: string): Promise<ExportResult> {
  const url = `${brevis.url}/console/export?format=${format}`
  const curlArgs = ['-sS', '--fail', '-o', '/dev/null', '-w', '%{size_download}', '-H']
  const download = spawn('curl', [...curlArgs, `cookie: ${cookie}`, url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  download.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  const startedAt = performance.now()
  const completion = once(download, 'close')
  const redirectTimes = await measureRedirects(brevis, completion)
  if (download.exitCode !== 0) throw new Error(`the export failed after ${output} bytes`)
  return {
    seconds: (performance.now() - startedAt) / 1000,
    bytes: Number(output),
    ...redirectTimes,
  }
}

/** Measures redirects to `bench-1` until `work` is done. */
export async function measureRedirects(
  { url, worker }: Brevis,
  work: Promise<unknown>,
): Promise<RedirectTimes> {
  const durations: number[] = []
  let maxCpuMs = 0
  let isDone = false
  const completion = work.finally(() => {
    isDone = true
  })
  while (!isDone) {
    const startedAt = performance.now()
    const cpuBefore = readMainThreadMs(worker)
    const reply = await fetch(`${url}/bench-1`, { redirect: 'manual' })
    await reply.arrayBuffer()
    if (reply.status !== 302) throw new Error(`a redirect returned ${reply.status}`)
    durations.push(performance.now() - startedAt)
    maxCpuMs = Math.max(maxCpuMs, readMainThreadMs(worker) - cpuBefore)
    await sleep(REDIRECT_INTERVAL_MS)
  }
  await completion
  return { worstMs: Math.max(...durations), p99Ms: percentile(durations, 99), maxCpuMs }
}
