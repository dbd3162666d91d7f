import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createChildEnvironment } from '../../src/config.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import type { BenchOptions, Figure } from '../figures.ts'
import { createAccounts, createLinks } from '../make.ts'
import { findChildren } from '../processes.ts'
import { measureCommands } from '../scale/commands.ts'
import { type Add, time } from '../scale/measure.ts'
import { measureRequests } from '../scale/requests.ts'
import { createTrafficScript } from '../traffic-script.ts'
import { runWrk } from '../wrk.ts'

const ACCOUNTS = 10_000
/** Visits are spread over this many visitors. */
const VISITORS = 20_000

/**
 * Measures one account with 10,000 and with a million links, among 10,000 accounts, or only with as
 * many links as `SCALE` says: sizes, builds, visits, lists, searches, changes, exports, backups and the
 * deletion. Figures that depend on nothing but the machine are in the other sections.
 */
export async function scale({ log, quick }: BenchOptions): Promise<Figure[]> {
  const chosen = Number(createChildEnvironment({}).SCALE)
  const sizes = chosen ? [chosen] : [10_000, quick ? 50_000 : 1_000_000]
  const figures: Figure[] = []
  for (const links of sizes) {
    const measured = await measureSize(links, quick, (line) => log(`${links} links: ${line}`))
    const label = links.toLocaleString('en-US')
    figures.push(...measured.map((figure) => ({ ...figure, name: `${label}: ${figure.name}` })))
  }
  return figures
}

async function measureSize(
  links: number,
  quick: boolean,
  log: BenchOptions['log'],
): Promise<Figure[]> {
  await using brevis = await startBrevis()
  const { pool } = brevis.database
  const figures: Figure[] = []
  const add: Add = (name, value, unit, goal) => {
    log(`${name}: ${value.toFixed(2)} ${unit}`)
    figures.push({ name, value, unit, ...(goal && { goal }) })
  }
  const keys = await createAccounts(pool, ACCOUNTS)
  const sizeBefore = await readDatabaseSize(brevis)
  const insertMs = await time(() => createLinks(pool, { prefix: 'bench', count: links }))
  add('inserting links in PostgreSQL', links / (insertMs / 1000), '/s')
  add('PostgreSQL', ((await readDatabaseSize(brevis)) - sizeBefore) / links, 'bytes/link')
  const followMs = await time(() => brevis.waitUntilStored(links))
  add('link store, following the links afterwards', followMs / 1000, 's')

  brevis.useAllCores()
  const cpuBefore = brevis.readCpu()
  const buildMs = await time(async () => {
    await brevis.rebuildStore()
    await brevis.waitUntilStored(links)
  })
  const cpuAfter = brevis.readCpu()
  add('link store, building', links / (buildMs / 1000), 'links/s', { atLeast: 40_000 })
  const cpuOf = (part: 'importer' | 'database') =>
    ((cpuAfter[part] - cpuBefore[part]) * 1e6) / links
  add('link store, building: CPU time, importer', cpuOf('importer'), 'µs/link')
  add('link store, building: CPU time, PostgreSQL', cpuOf('database'), 'µs/link')
  add('link store', (await readStoreSize(brevis)) / links, 'bytes/link')
  add('importer, restarting until it follows', (await restartImporter(brevis)) / 1000, 's')

  for (const distribution of ['zipf', 'even'] as const) {
    const script = createTrafficScript({ prefix: 'bench', links, distribution, visitors: VISITORS })
    const visits = await measureVisits(brevis, script, quick ? 3 : 15)
    const name = distribution === 'zipf' ? 'visits by Zipf’s law' : 'visits, all links alike'
    add(name, visits.rate, '/s')
    add(`${name}: CPU time, HTTP`, visits.worker, 'µs')
    add(`${name}: CPU time, importer`, visits.importer, 'µs')
    add(`${name}: CPU time, PostgreSQL`, visits.database, 'µs')
  }
  await measureRequests(brevis, links, add)
  await measureCommands(brevis, { links, otherKeys: keys }, add)
  return figures
}

async function readDatabaseSize({ database: { pool } }: Brevis): Promise<number> {
  await pool.query('checkpoint')
  const { rows } = await pool.query<{ size: number }>(
    'select pg_database_size(current_database())::float8 as size',
  )
  return rows[0]?.size ?? 0
}

async function readStoreSize({ storeFolder }: Brevis): Promise<number> {
  const files = (await readdir(storeFolder)).filter((file) => file.startsWith('links-'))
  const sizes = await Promise.all(files.map((file) => stat(join(storeFolder, file))))
  return sizes.reduce((sum, { size }) => sum + size, 0)
}

/** Kills the importer. Returns the milliseconds until the next one has all changes. */
async function restartImporter(brevis: Brevis): Promise<number> {
  const [importer = 0] = findChildren(brevis.primary, 'importer.ts')
  return time(async () => {
    process.kill(importer, 'SIGKILL')
    const killedAt = performance.now()
    // Until another importer has followed, the lag is at least the time since then.
    for (;;) {
      const metrics = await brevis.readMetrics()
      const lag = metrics.get('brevis_link_store_lag_seconds') ?? Infinity
      if (lag * 1000 < performance.now() - killedAt) return
      await sleep(20)
    }
  })
}

async function measureVisits(brevis: Brevis, script: string, seconds: number) {
  await runWrk({ url: brevis.url, script, seconds: 2 })
  await brevis.waitUntilDrained()
  const before = brevis.readCpu()
  const { rate, requests } = await runWrk({ url: brevis.url, script, seconds })
  await brevis.waitUntilDrained()
  const after = brevis.readCpu()
  const cpuOf = (part: keyof typeof before) => ((after[part] - before[part]) * 1e6) / requests
  return {
    rate,
    worker: cpuOf('worker'),
    importer: cpuOf('importer'),
    database: cpuOf('database'),
  }
}
