import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { createChildEnvironment } from '../../src/config.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import type { Figure } from '../figures.ts'
import { writeLinksFile } from '../links-file.ts'
import { createLinks, createSession, readAccountId } from '../make.ts'
import { createMemoryLimit, type MemoryLimit } from '../memory-limit.ts'

const MIB = 2 ** 20
const LIMIT_MIB = 512
const IMPORTED_LINKS = 50_000
const VISITED_LINKS = 1000
const VISITS_PER_SECOND = 200
const TICK_MS = 50
const SAMPLE_MS = 250
const WARM_UP_MS = 10_000
const COUNT_TIMEOUT_MS = 120_000
const COMMAND = fileURLToPath(new URL('../../bin/brevis', import.meta.url))
const PAGES = ['', '/links', '/links?q=site7', '/analytics', '/webhooks', '/account']

/**
 * Runs everything in 512 MiB, the embedded PostgreSQL included: 200 visits a second, and meanwhile
 * console pages, an import of 50,000 links, and a backup. The commands run in the same container.
 */
export async function runInSmallContainer(log: (line: string) => void): Promise<Figure[]> {
  using limit = createMemoryLimit(LIMIT_MIB * MIB)
  const folder = await mkdtemp(join(tmpdir(), 'brevis-small-'))
  const ended = new AbortController()
  const peaks: Record<string, number> = {}
  let visits = { replies: 0, failures: 0 }
  try {
    await using brevis = await startBrevis({}, { wrapper: limit.wrapper })
    brevis.useAllCores()
    const { pool } = brevis.database
    const aliases = await createLinks(pool, { prefix: 'small', count: VISITED_LINKS })
    const cookie = await createSession(pool, await readAccountId(pool))
    const { rows } = await pool.query<{ email: string }>('select email from accounts limit 1')
    const input = join(folder, 'links.jsonl')
    await writeLinksFile(input, IMPORTED_LINKS)

    const visiting = visitSteadily(brevis.url, aliases, ended.signal)
    const watch = async (name: string, work: Promise<unknown>) => {
      log(name)
      peaks[name] = await readPeak(limit, work)
    }
    await watch('visits', sleep(WARM_UP_MS))
    await watch('visits, console', loadPages(brevis.url, cookie))
    const importing = ['import', input, '--from', 'jsonl', '--account', rows[0]?.email ?? '']
    await watch(
      'visits, console, import',
      Promise.all([runCommand(brevis, limit, importing), loadPages(brevis.url, cookie)]),
    )
    await watch(
      'visits, backup',
      runCommand(brevis, limit, ['backup', join(folder, 'backup.tar.zst')]),
    )
    ended.abort()
    visits = await visiting
    await waitUntilCounted(brevis, visits.replies)
  } finally {
    ended.abort()
    await rm(folder, { recursive: true, force: true })
  }
  return [
    ...Object.entries(peaks).map(([name, bytes]) => ({
      name: `in ${LIMIT_MIB} MiB: ${name}`,
      value: bytes / MIB,
      unit: 'MiB',
      goal: { atMost: LIMIT_MIB },
    })),
    { name: 'visits answered', value: visits.replies, unit: '' },
    { name: 'visits failed', value: visits.failures, unit: '', goal: { atMost: 0 } },
    { name: 'processes killed', value: limit.countKilled(), unit: '', goal: { atMost: 0 } },
  ]
}

/** Waits until all visits are counted. The imported links bring clicks of their own. */
async function waitUntilCounted({ database }: Brevis, visits: number): Promise<void> {
  const deadline = performance.now() + COUNT_TIMEOUT_MS
  for (let counted = 0; counted !== visits; await sleep(SAMPLE_MS)) {
    const { rows } = await database.pool.query<{ clicks: number }>(
      `select coalesce(sum(t.clicks), 0)::float8 as clicks from links l
       join click_totals t on t.link_id = l.id where l.alias like 'small-%'`,
    )
    counted = rows[0]?.clicks ?? 0
    if (performance.now() > deadline) throw new Error(`${counted} of ${visits} visits counted`)
  }
}

/** Visits links at a steady rate until `signal` aborts. */
async function visitSteadily(url: string, aliases: readonly string[], signal: AbortSignal) {
  const pool = new Pool(url, { connections: 32 })
  const pending = new Set<Promise<void>>()
  const result = { replies: 0, failures: 0 }
  const visit = async (alias: string) => {
    try {
      const { statusCode, body } = await pool.request({ path: `/${alias}`, method: 'GET' })
      await body.dump()
      if (statusCode === 302) result.replies += 1
      else result.failures += 1
    } catch {
      result.failures += 1
    }
  }
  for (let sent = 0; !signal.aborted; await sleep(TICK_MS)) {
    for (let count = 0; count < (VISITS_PER_SECOND * TICK_MS) / 1000; count += 1) {
      const promise = visit(aliases[sent % aliases.length] ?? '')
      pending.add(promise)
      void promise.finally(() => pending.delete(promise))
      sent += 1
    }
  }
  await Promise.all(pending)
  await pool.close()
  return result
}

async function loadPages(url: string, cookie: string): Promise<void> {
  for (const page of PAGES.flatMap((each) => [each, each, each])) {
    const reply = await fetch(`${url}/console${page}`, { headers: { cookie } })
    await reply.arrayBuffer()
    if (reply.status !== 200) throw new Error(`/console${page} returned ${reply.status}`)
  }
}

/** Returns the maximum of the memory used while `work` runs. */
async function readPeak({ readUsed }: MemoryLimit, work: Promise<unknown>): Promise<number> {
  let peak = 0
  const timer = setInterval(() => {
    peak = Math.max(peak, readUsed())
  }, SAMPLE_MS)
  try {
    await work
  } finally {
    clearInterval(timer)
  }
  return Math.max(peak, readUsed())
}

async function runCommand(
  { url, databaseUrl, folder }: Brevis,
  { wrapper }: MemoryLimit,
  args: readonly string[],
): Promise<void> {
  const [program = '', ...start] = [...wrapper, COMMAND, ...args]
  const child = spawn(program, start, {
    cwd: tmpdir(),
    env: createChildEnvironment({
      DATABASE_URL: databaseUrl,
      DATA_DIR: folder,
      BASE_URL: url,
      LINKS_PER_ACCOUNT: '0',
    }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output] = await Promise.all([
    Promise.all([text(child.stdout), text(child.stderr)]),
    new Promise((resolve) => child.once('close', resolve)),
  ])
  if (child.exitCode !== 0) throw new Error(`${args[0]} failed: ${output.join('').slice(-2000)}`)
}
