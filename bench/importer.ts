import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { openJournal } from '../src/clicks/append.ts'
import { systemClock } from '../src/clock.ts'
import { readConfig } from '../src/config.ts'
import type { ConnectionPool } from '../src/db/connection-pool.ts'
import { loadInstance } from '../src/db/instance.ts'
import { migrate } from '../src/db/migrate.ts'
import { openDatabase } from '../src/db/pool.ts'
import { startEmbedded } from '../src/embedded-postgres/embedded-postgres.ts'
import { findPostmaster } from '../src/embedded-postgres/postmaster.ts'
import { createClickImporter } from '../src/importer/click-importer.ts'
import { createCountryLookup } from '../src/visitors/country.ts'
import { createClientClassifier } from '../src/visitors/crawler.ts'
import { findChildren, readChildCpuSeconds, readCpuSeconds } from './processes.ts'
import { createZipfRanks } from './zipf.ts'

const LANGUAGES = ['en-US,en;q=0.9', 'de-DE,de;q=0.9,en;q=0.8', 'fr-FR,fr;q=0.9', 'es-ES,es;q=0.8']

/**
 * Measures how fast clicks are imported from the journal, and how much disk space they take. Prints
 * a JSON object. Creates a temporary database on the server of `DATABASE_URL`, or on an embedded
 * server by default.
 */
const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '1000' },
    clicks: { type: 'string', default: '1000000' },
    /** Clicks per transaction. By default, as many as in the service. */
    batch: { type: 'string' },
    visitors: { type: 'string', default: '500000' },
    /** The distribution of visits: `even`, or `zipf` (Zipf's law with s = 1). */
    distribution: { type: 'string', default: 'even' },
  },
})
const links = Number(values.links)
const clicks = Number(values.clicks)
const batch = values.batch === undefined ? undefined : Number(values.batch)
const visitors = Number(values.visitors)
const chooseLink = values.distribution === 'zipf' ? createZipfChoice() : chooseEvenly
const folder = mkdtempSync(join(tmpdir(), 'brevis-bench-'))
const server = await startServer()
const url = await createDatabase(server.url)
try {
  await migrate(url)
  console.log(JSON.stringify(await measure(url)))
} finally {
  await dropDatabase(server.url, url)
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function measure(databaseUrl: string): Promise<object> {
  const database = openDatabase({ url: databaseUrl, name: 'bench', queryTimeout: 60_000 })
  const firstId = await createLinks(database.pool)
  const journal = join(folder, 'journal')
  const journalNs = await fillJournal(journal, firstId)
  const before = await readDatabaseSize(database.pool)
  const instance = await loadInstance(database.db)
  const countryLookup = await createCountryLookup()
  const importer = createClickImporter({
    dir: journal,
    db: database,
    instance,
    country: countryLookup,
    clients: createClientClassifier(),
    clock: systemClock,
    log: { info: () => {}, warn: console.error, error: console.error },
    retentionDays: 365,
    batch,
  })
  const readDatabaseCpu = await createCpuReader()
  const databaseCpuBefore = readDatabaseCpu()
  const cpu = process.cpuUsage()
  const started = performance.now()
  const imported = await importer.drain()
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const databaseCpuSeconds = readDatabaseCpu() - databaseCpuBefore
  await database.pool.query('vacuum analyze')
  const after = await readDatabaseSize(database.pool)
  countryLookup.close()
  await database.close()
  return {
    links,
    batch,
    imported,
    journalNs,
    seconds: round(seconds),
    clicksPerSecond: Math.round(imported / seconds),
    importerCpuSeconds: round((user + system) / 1e6),
    databaseCpuSeconds: round(databaseCpuSeconds),
    bytesPerClick: Math.round((after - before) / imported),
  }
}

async function createLinks(pool: ConnectionPool): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `with owner as (
       insert into accounts (email, username) values ('a@b.c', 'a') returning id
     ), created as (
       insert into links (account_id, alias, url)
       select owner.id, 'bench-' || n, 'https://example.com/' from owner, generate_series(1, $1) n
       returning id
     ), counted as (
       insert into click_totals (link_id) select id from created where $2
     )
     select min(id) as id from created`,
    // Zipf's law tests first clicks, which are more expensive because they insert a row of totals.
    [links, values.distribution !== 'zipf'],
  )
  await pool.query('vacuum analyze')
  return rows[0]?.id ?? 0
}

/**
 * Writes clicks with 30 User-Agents, 200 referrers and random IP addresses to the journal. Returns
 * the nanoseconds per click.
 */
async function fillJournal(dir: string, firstId: number): Promise<number> {
  const journal = openJournal({
    dir,
    sync: 'background',
    onLoss: (_, error) => {
      throw error
    },
  })
  const now = Date.now()
  let elapsedNs = 0
  for (let written = 0; written < clicks; ) {
    const records = Array.from({ length: 64 }, () => {
      written += 1
      const random = createHash('md5').update(String(written)).digest()
      const visitor = random.readUInt32LE(0) % visitors
      return {
        linkId: firstId + chooseLink(random.readUInt32LE(4)),
        at: now - clicks + written,
        address: createIpAddress(visitor),
        userAgent: createUserAgent(visitor % 30),
        referrer:
          random.readUInt8(8) < 90 ? '' : `https://site${random.readUInt8(9) % 200}.example/page`,
        languages: LANGUAGES[random.readUInt8(10) % LANGUAGES.length] as string,
      }
    })
    const started = process.hrtime.bigint()
    for (const record of records) journal.append(record, () => {})
    elapsedNs += Number(process.hrtime.bigint() - started)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await journal.close()
  return Math.round(elapsedNs / clicks)
}

function chooseEvenly(random: number): number {
  return random % links
}

/** Returns a function that chooses links by Zipf's law. A prime spreads popular links over all IDs. */
function createZipfChoice(): (random: number) => number {
  let state = 0
  const rank = createZipfRanks(links, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  })
  return (random) => {
    state = random
    return (rank() * 611_953) % links
  }
}

function createIpAddress(visitor: number): string {
  const bytes = createHash('md5').update(`visitor ${visitor}`).digest()
  return `${(bytes.readUInt8(0) % 220) + 1}.${bytes.readUInt8(1)}.${bytes.readUInt8(2)}.${bytes.readUInt8(3)}`
}

function createUserAgent(kind: number): string {
  const chrome = `AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${110 + kind}.0.0.0`
  const agents = [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36`,
    `Mozilla/5.0 (Linux; Android ${8 + (kind % 6)}; K) ${chrome} Mobile Safari/537.36`,
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:${110 + kind}.0) Gecko/20100101 Firefox/${110 + kind}.0`,
  ]
  return agents[kind % 3] ?? ''
}

async function startServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const { databaseUrl } = readConfig()
  if (databaseUrl) return { url: databaseUrl, stop: async () => {} }
  return startEmbedded(join(folder, 'postgres'))
}

/** Returns a function that reads the CPU time of the embedded server. It returns NaN for other servers. */
async function createCpuReader(): Promise<() => number> {
  const pid = (await findPostmaster(join(folder, 'postgres', 'postgres')))?.pid
  if (pid === undefined) return () => Number.NaN
  return () =>
    [pid, ...findChildren(pid)].map(readCpuSeconds).reduce((sum, seconds) => sum + seconds, 0) +
    readChildCpuSeconds(pid)
}

async function createDatabase(serverUrl: string): Promise<string> {
  const name = `brevis_bench_${process.pid}`
  await runStatement(serverUrl, `create database ${name}`)
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href
}

async function dropDatabase(serverUrl: string, databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1)
  await runStatement(serverUrl, `drop database ${name} with (force)`)
}

async function runStatement(serverUrl: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(text)
  await client.end()
}

async function readDatabaseSize(pool: ConnectionPool): Promise<number> {
  const { rows } = await pool.query<{ size: number }>(
    'select pg_database_size(current_database()) as size',
  )
  return rows[0]?.size ?? 0
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
