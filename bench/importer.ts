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
import { childrenOf, cpuSeconds, endedCpuSeconds } from './processes.ts'
import { createZipf } from './zipf.ts'

const LANGUAGES = ['en-US,en;q=0.9', 'de-DE,de;q=0.9,en;q=0.8', 'fr-FR,fr;q=0.9', 'es-ES,es;q=0.8']

/**
 * Measures how fast clicks are imported from the journal, and their size in the database. Prints
 * one JSON object. `DATABASE_URL` names a server for a temporary database; by default, the embedded
 * one is used.
 */
const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '1000' },
    clicks: { type: 'string', default: '1000000' },
    /** Clicks per transaction. Default: that of the service. */
    batch: { type: 'string' },
    visitors: { type: 'string', default: '500000' },
    /** The distribution of links: `even`, or `zipf` (Zipf's law with s = 1). */
    choice: { type: 'string', default: 'even' },
  },
})
const [links, clicks, batch, visitors] = [
  Number(values.links),
  Number(values.clicks),
  values.batch === undefined ? undefined : Number(values.batch),
  Number(values.visitors),
]
const choose = values.choice === 'zipf' ? chooseByZipf() : chooseEvenly
const folder = mkdtempSync(join(tmpdir(), 'brevis-bench-'))
const server = await findServer()
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
  const firstId = await makeLinks(database.pool)
  const journal = join(folder, 'journal')
  const journalNs = await fillJournal(journal, firstId)
  const before = await sizeOf(database.pool)
  const instance = await loadInstance(database.db)
  const country = await createCountryLookup()
  const importer = createClickImporter({
    dir: journal,
    db: database,
    visitorKey: instance.visitorKey,
    country,
    clock: systemClock,
    log: { info: () => {}, warn: console.error, error: console.error },
    retentionDays: 365,
    batch,
  })
  const databaseSeconds = await databaseCpu()
  const databaseBefore = databaseSeconds()
  const cpu = process.cpuUsage()
  const started = performance.now()
  const imported = await importer.drain()
  const seconds = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(cpu)
  const databaseCpuSeconds = databaseSeconds() - databaseBefore
  await database.pool.query('vacuum analyze')
  const after = await sizeOf(database.pool)
  country.close()
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

async function makeLinks(pool: ConnectionPool): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `with owner as (
       insert into accounts (email, username) values ('a@b.c', 'a') returning id
     ), made as (
       insert into links (account_id, alias, url)
       select owner.id, 'bench-' || n, 'https://example.com/' from owner, generate_series(1, $1) n
       returning id
     ), counted as (
       insert into click_totals (link_id) select id from made where $2
     )
     select min(id) as id from made`,
    // With Zipf's law, most links are clicked for the first time, which is more expensive.
    [links, values.choice !== 'zipf'],
  )
  await pool.query('vacuum analyze')
  return rows[0]?.id ?? 0
}

/**
 * Writes clicks like those of a site of this size: 30 User-Agents, 200 referrers, random addresses.
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
  let spent = 0
  for (let made = 0; made < clicks; ) {
    const records = Array.from({ length: 64 }, () => {
      made += 1
      const dice = createHash('md5').update(String(made)).digest()
      const visitor = dice.readUInt32LE(0) % visitors
      return {
        linkId: firstId + choose(dice.readUInt32LE(4)),
        at: now - clicks + made,
        address: addressOf(visitor),
        userAgent: agentOf(visitor % 30),
        referrer:
          dice.readUInt8(8) < 90 ? '' : `https://site${dice.readUInt8(9) % 200}.example/page`,
        languages: LANGUAGES[dice.readUInt8(10) % LANGUAGES.length] as string,
      }
    })
    const started = process.hrtime.bigint()
    for (const record of records) journal.append(record, () => {})
    spent += Number(process.hrtime.bigint() - started)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await journal.close()
  return Math.round(spent / clicks)
}

function chooseEvenly(dice: number): number {
  return dice % links
}

/** A prime spreads the most visited links over all ids. */
function chooseByZipf(): (dice: number) => number {
  let state = 0
  const rank = createZipf(links, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  })
  return (dice) => {
    state = dice
    return (rank() * 611_953) % links
  }
}

function addressOf(visitor: number): string {
  const bytes = createHash('md5').update(`visitor ${visitor}`).digest()
  return `${(bytes.readUInt8(0) % 220) + 1}.${bytes.readUInt8(1)}.${bytes.readUInt8(2)}.${bytes.readUInt8(3)}`
}

function agentOf(kind: number): string {
  const chrome = `AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${110 + kind}.0.0.0`
  const agents = [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome} Safari/537.36`,
    `Mozilla/5.0 (Linux; Android ${8 + (kind % 6)}; K) ${chrome} Mobile Safari/537.36`,
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:${110 + kind}.0) Gecko/20100101 Firefox/${110 + kind}.0`,
  ]
  return agents[kind % 3] ?? ''
}

async function findServer(): Promise<{ url: string; stop(): Promise<void> }> {
  const { databaseUrl } = readConfig()
  if (databaseUrl) return { url: databaseUrl, stop: async () => {} }
  return startEmbedded(join(folder, 'postgres'))
}

/** Returns the processor time of the embedded server so far, or NaN for another server. */
async function databaseCpu(): Promise<() => number> {
  const pid = (await findPostmaster(join(folder, 'postgres', 'postgres')))?.pid
  if (pid === undefined) return () => Number.NaN
  return () =>
    [pid, ...childrenOf(pid)].map(cpuSeconds).reduce((sum, seconds) => sum + seconds, 0) +
    endedCpuSeconds(pid)
}

async function createDatabase(serverUrl: string): Promise<string> {
  const name = `brevis_bench_${process.pid}`
  await statement(serverUrl, `create database ${name}`)
  return Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href
}

async function dropDatabase(serverUrl: string, databaseUrl: string): Promise<void> {
  const name = new URL(databaseUrl).pathname.slice(1)
  await statement(serverUrl, `drop database ${name} with (force)`)
}

async function statement(serverUrl: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(text)
  await client.end()
}

async function sizeOf(pool: ConnectionPool): Promise<number> {
  const { rows } = await pool.query<{ size: number }>(
    'select pg_database_size(current_database()) as size',
  )
  return rows[0]?.size ?? 0
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
