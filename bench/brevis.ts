import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Database, openDatabase } from '../src/db/pool.ts'
import { startEmbedded } from '../src/embedded-postgres/embedded-postgres.ts'
import { findPostmaster } from '../src/embedded-postgres/postmaster.ts'
import {
  BOTH_CORES,
  findChildren,
  OTHER_CORE,
  pin,
  readChildCpuSeconds,
  readCpuSeconds,
  readProportionalBytes,
  SERVER_CORE,
} from './processes.ts'
import { findFreePort, startProcess, waitForResponse } from './server-process.ts'

export type Brevis = Awaited<ReturnType<typeof startBrevis>>

export const MAIN_FILE = fileURLToPath(new URL('../src/main.ts', import.meta.url))

const WAIT_TIMEOUT_MS = 1_800_000
/** Inserting a million rows takes minutes. */
const QUERY_TIMEOUT_MS = 600_000

/**
 * Starts the service with an embedded database in a temporary folder. It trusts proxy headers from
 * this machine, so that one load generator can act as many visitors.
 */
export async function startBrevis(
  env: Record<string, string> = {},
  { wrapper = [] }: { wrapper?: readonly string[] } = {},
) {
  const folder = await mkdtemp(join(tmpdir(), 'brevis-bench-'))
  const port = await findFreePort()
  const url = `http://127.0.0.1:${port}`
  const server = startProcess(MAIN_FILE, {
    cores: [OTHER_CORE],
    cwd: folder,
    wrapper,
    env: {
      PORT: String(port),
      HOST: '127.0.0.1',
      BASE_URL: url,
      DATABASE_URL: '',
      DATA_DIR: folder,
      TRUST_PROXY: '127.0.0.0/8',
      RATE_LIMIT_PER_MINUTE: '1000000000',
      LINKS_PER_ACCOUNT: '0',
      LOG_LEVEL: 'warn',
      ...env,
    },
  })
  const dispose = async () => {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await waitForResponse(server, `${url}/health/ready`)
    const embedded = await startEmbedded(folder)
    const database = openDatabase({
      url: embedded.url,
      name: 'bench',
      max: 4,
      queryTimeout: QUERY_TIMEOUT_MS,
    })
    const [worker = 0] = findChildren(server.pid, 'worker.ts')
    const postmaster = (await findPostmaster(join(folder, 'postgres')))?.pid ?? 0
    if (!worker || !postmaster) throw new Error('the processes of the service were not found')
    const otherProcesses = () => [
      server.pid,
      ...findChildren(server.pid, 'importer.ts'),
      postmaster,
      ...findChildren(postmaster),
    ]
    const key = await waitForKey(server.output)
    return {
      url,
      port,
      primary: server.pid,
      worker,
      key,
      database,
      databaseUrl: embedded.url,
      /** Pins HTTP to one core, and the importer and PostgreSQL to the other. */
      pinToSeparateCores(): void {
        pin([worker], SERVER_CORE)
        pin(otherProcesses(), OTHER_CORE)
      },
      /** Pins HTTP, the importer and PostgreSQL to the same core. */
      pinToOneCore(): void {
        pin([worker, ...otherProcesses()], SERVER_CORE)
      },
      /** Lets the operating system schedule all processes on both cores. */
      useAllCores(): void {
        pin([worker, ...otherProcesses()], BOTH_CORES)
      },
      /** Returns the memory in bytes, by process. Shared memory counts only once in the sum. */
      readMemory: () => ({
        primary: readProportionalBytes(server.pid),
        worker: readProportionalBytes(worker),
        importer: sum(findChildren(server.pid, 'importer.ts').map(readProportionalBytes)),
        database: sum([postmaster, ...findChildren(postmaster)].map(readProportionalBytes)),
      }),
      /** Returns the service's metrics by name and labels. */
      readMetrics: () => readMetrics(url),
      /** Returns the number of imported clicks, without those of crawlers. */
      countImported: () => countImported(database),
      /** Returns the CPU time in seconds, by process. */
      readCpu: () => ({
        worker: readCpuSeconds(worker),
        importer: sum(findChildren(server.pid, 'importer.ts').map(readCpuSeconds)),
        database:
          sum([postmaster, ...findChildren(postmaster)].map(readCpuSeconds)) +
          readChildCpuSeconds(postmaster),
      }),
      waitUntilDrained: () => waitUntilDrained(url, database),
      /** Deletes the link store and waits until the service starts to build a new one. */
      async rebuildStore(): Promise<void> {
        const store = join(folder, 'store')
        await rm(store, { recursive: true })
        while (!(await readdir(store).catch(() => [])).some((file) => file.startsWith('links-'))) {
          await sleep(10)
        }
        // Workers notice the new store on the next request.
        await readMetrics(url)
        await sleep(50)
      },
      folder,
      storeFolder: join(folder, 'store'),
      /** Waits until the link store has at least this many links. */
      waitUntilStored: (links: number) => waitUntilStored(url, links),
      async [Symbol.asyncDispose](): Promise<void> {
        await database.close()
        await server.stop()
        await embedded.stop()
        await dispose()
      },
    }
  } catch (error) {
    await dispose()
    throw error
  }
}

async function waitUntilStored(url: string, links: number): Promise<void> {
  const deadline = performance.now() + WAIT_TIMEOUT_MS
  for (;;) {
    const metrics = await readMetrics(url)
    const isComplete = metrics.get('brevis_link_store_building') === 0
    if (isComplete && (metrics.get('brevis_link_store_links') ?? 0) >= links) return
    if (performance.now() > deadline)
      throw new Error(`the link store has fewer than ${links} links`)
    await sleep(100)
  }
}

/** Waits until the journal is fully imported. Returns the number of clicks in the database. */
async function waitUntilDrained(url: string, database: Database): Promise<number> {
  const deadline = performance.now() + WAIT_TIMEOUT_MS
  let expected = await countRecorded(url)
  for (;;) {
    const clicks = await countImported(database)
    if (clicks >= expected) {
      // The service may have recorded requests that wrk no longer waited for.
      expected = await countRecorded(url)
      if (clicks === expected) return clicks
      if (clicks > expected) throw new Error(`${clicks} clicks counted, ${expected} recorded`)
    }
    if (performance.now() > deadline) throw new Error(`${clicks} of ${expected} clicks imported`)
    await sleep(20)
  }
}

/** Adds up the clicks per day of all accounts, because summing a million links would add load. */
async function countImported({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ clicks: number }>(
    'select coalesce(sum(clicks), 0)::float8 as clicks from account_days',
  )
  return rows[0]?.clicks ?? 0
}

async function countRecorded(url: string): Promise<number> {
  return (await readMetrics(url)).get('brevis_clicks_journalled_total') ?? Number.NaN
}

async function readMetrics(url: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.matchAll(/^(\w+(?:\{[^}]*\})?) (\S+)$/gm)
  return new Map(Array.from(lines, ([, name = '', value]) => [name, Number(value)]))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}

/** Returns the API key, which the first start prints shortly after the service is ready. */
async function waitForKey(output: () => string): Promise<string> {
  for (let attempt = 0; attempt < 100 && !output().includes('brv_'); attempt += 1) await sleep(20)
  return /brv_\w+/.exec(output())?.[0] ?? ''
}
