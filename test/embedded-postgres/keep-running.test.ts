import { once } from 'node:events'
import { readFile, rename } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { expect, onTestFinished, test, vi } from 'vitest'
import { withLock } from '../../src/embedded-postgres/data-folder.ts'
import type { EmbeddedPostgres } from '../../src/embedded-postgres/embedded-postgres.ts'
import { findPostmaster } from '../../src/embedded-postgres/postmaster.ts'
import {
  createClusterFolder,
  query,
  readPostmasterPid,
  start,
} from '../support/embedded-postgres.ts'
import { isAlive } from '../support/processes.ts'

const WAIT_OPTIONS = { timeout: 60_000, interval: 50 }

test('a server that is kept running is restarted on its port with its data, and its lost connection replaced', async () => {
  const { dataDir, url, log } = await startKeptRunning()
  await query(url, 'CREATE TABLE kept AS SELECT 1 AS n')
  for (const signal of ['SIGKILL', 'SIGQUIT', 'SIGINT'] as const) {
    const pid = await readPostmasterPid(dataDir)
    process.kill(pid, signal)
    await waitUntilAvailable(url)
    await vi.waitUntil(() => log.at(-1)?.endsWith('available again'), WAIT_OPTIONS)
    expect(await readPostmasterPid(dataDir)).not.toBe(pid)
  }
  const [row] = await query(
    url,
    "SELECT pid FROM pg_stat_activity WHERE application_name = 'brevis presence'",
  )
  const pid = await readPostmasterPid(dataDir)
  await query(url, `SELECT pg_terminate_backend(${row?.pid})`)
  await vi.waitUntil(async () => (await countPresences(url)) === 1, WAIT_OPTIONS)
  expect(await readPostmasterPid(dataDir)).toBe(pid)
  expect(await query(url, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
})

test('two processes restart the server only once, and the last one to stop also stops the server', async () => {
  const { dataDir, url, embedded } = await startKeptRunning()
  const other = await startKeptRunning(dataDir)
  process.kill(await readPostmasterPid(dataDir), 'SIGKILL')
  await vi.waitUntil(async () => (await countPresences(url)) === 2, WAIT_OPTIONS)
  const pid = await readPostmasterPid(dataDir)
  await embedded.stop()
  expect(await readPostmasterPid(dataDir)).toBe(pid)
  await other.embedded.stop()
  await expect(query(url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('a restart waits for the port if another program has taken it', async () => {
  const { dataDir, url, log } = await startKeptRunning()
  const otherProgram = createServer()
  onTestFinished(() => void otherProgram.close())
  // Holds the lock, so that nothing starts before the port is taken.
  await withLock(join(dataDir, 'postgres.lock'), async () => {
    const pid = await readPostmasterPid(dataDir)
    process.kill(pid, 'SIGKILL')
    await vi.waitUntil(() => !isAlive(pid), WAIT_OPTIONS)
    otherProgram.listen(Number(new URL(url).port), '127.0.0.1')
    await once(otherProgram, 'listening')
  })
  await vi.waitUntil(
    () => log.some((line) => line.includes('taken by another program')),
    WAIT_OPTIONS,
  )
  otherProgram.close()
  await waitUntilAvailable(url)
})

test('a restart does not replace a missing cluster with an empty one', async () => {
  const { dataDir, url, log } = await startKeptRunning()
  const cluster = join(dataDir, 'postgres')
  await withLock(join(dataDir, 'postgres.lock'), async () => {
    const pid = await readPostmasterPid(dataDir)
    process.kill(pid, 'SIGKILL')
    await vi.waitUntil(() => !isAlive(pid), WAIT_OPTIONS)
    await rename(cluster, `${cluster}.away`)
  })
  await vi.waitUntil(() => log.includes(`The embedded database ${cluster} is gone.`), WAIT_OPTIONS)
  await rename(`${cluster}.away`, cluster)
  await waitUntilAvailable(url)
})

test('the server can be stopped during a restart that hangs', async () => {
  const { dataDir, url, embedded, log } = await startKeptRunning()
  const client = new Client(url)
  client.on('error', () => undefined)
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const frozenPid = rows[0]?.pid ?? 0
  onTestFinished(() => void process.kill(frozenPid, 'SIGKILL'))
  // While this process exists, no other server can use the data, so the start is retried.
  process.kill(frozenPid, 'SIGSTOP')
  process.kill(await readPostmasterPid(dataDir), 'SIGKILL')
  const readLog = () => readFile(join(dataDir, 'postgres.log'), 'utf8')
  await vi.waitUntil(
    async () => (await readLog()).includes('pre-existing shared memory'),
    WAIT_OPTIONS,
  )
  const stopped = embedded.stop().then(() => 'stopped')
  expect(await Promise.race([stopped, sleep(9000, 'too late', { ref: false })])).toBe('stopped')
  expect(log).toEqual(['the connection to the embedded PostgreSQL was lost'])
  expect(await findPostmaster(join(dataDir, 'postgres'))).toBeUndefined()
})

/** Starts a server that is kept running, and records its log. */
async function startKeptRunning(folder?: string): Promise<{
  dataDir: string
  url: string
  log: string[]
  embedded: EmbeddedPostgres
}> {
  const dataDir = folder ?? (await createClusterFolder())
  const log: string[] = []
  const append = (line: string) => void log.push(line)
  const embedded = await start(dataDir)
  embedded.keepRunning({ info: append, error: append })
  return { dataDir, url: embedded.url, log, embedded }
}

async function waitUntilAvailable(url: string): Promise<void> {
  const isAvailable = () =>
    query(url, 'SELECT 1').then(
      () => true,
      () => false,
    )
  await vi.waitUntil(isAvailable, WAIT_OPTIONS)
}

/** Returns the number of processes that keep the server running, or 0 if it does not respond. */
async function countPresences(url: string): Promise<number> {
  const sql = "SELECT FROM pg_stat_activity WHERE application_name = 'brevis presence'"
  return query(url, sql).then(
    (rows) => rows.length,
    () => 0,
  )
}
