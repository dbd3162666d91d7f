import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { startEmbedded } from '../../src/embedded-postgres/embedded-postgres.ts'
import { findPostmaster } from '../../src/embedded-postgres/postmaster.ts'
import { copyCluster } from '../support/copy-cluster.ts'
import {
  createClusterFolder,
  createDataFolder,
  query,
  readPostmasterPid,
  spawnProcess,
  start,
  startProcess,
} from '../support/embedded-postgres.ts'
import { isAlive, signal } from '../support/processes.ts'

const isRoot = process.getuid?.() === 0

describe('after a crash,', () => {
  test('the next start recovers a killed PostgreSQL', async () => {
    const dataDir = await createClusterFolder()
    const first = await start(dataDir)
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS n')
    process.kill(await readPostmasterPid(dataDir), 'SIGKILL')

    const second = await start(dataDir)
    expect(second.started).toBe(true)
    expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
    await first.stop()
    await second.stop()
  })

  test('stopping a killed PostgreSQL has no effect', async () => {
    const dataDir = await createClusterFolder()
    const { stop } = await start(dataDir)
    process.kill(await readPostmasterPid(dataDir), 'SIGKILL')
    await stop()
  })

  test('PostgreSQL outlives the program that started it, and the next program connects to it', async () => {
    const dataDir = await createClusterFolder()
    const killed = await startProcess(dataDir)
    killed.kill()

    const next = await start(dataDir)
    expect(next).toMatchObject({ url: killed.url, started: false })
    await next.stop()
    await expect(query(next.url, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })

  test('a start waits for a server that is recovering from a crashed connection', async () => {
    const dataDir = await createClusterFolder()
    const { url } = await start(dataDir)
    const [row] = await query(
      url,
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'brevis presence'",
    )
    const pid = Number(row?.pid)
    process.kill(pid, 'SIGKILL')
    // Until the server notices the crash, it accepts connections and closes them a moment later.
    await vi.waitUntil(() => !isAlive(pid), { timeout: 60_000, interval: 1 })

    const next = await start(dataDir)
    expect(next).toMatchObject({ url, started: false })
    expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
  })

  test('no server starts while processes of a killed server are running or not reaped', async () => {
    const dataDir = await createClusterFolder()
    const parent = await startProcess(dataDir)
    const [row] = await query(
      parent.url,
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'brevis presence'",
    )
    const connectionPid = Number(row?.pid)
    for (const pid of [parent.pid, connectionPid]) {
      process.kill(pid, 'SIGSTOP')
      onTestFinished(() => void signal(pid, 'SIGCONT'))
    }
    const killed = await readPostmasterPid(dataDir)
    process.kill(killed, 'SIGKILL')

    const starting = start(dataDir)
    const readLog = () => readFile(join(dataDir, 'postgres.log'), 'utf8')
    const isStartRejected = async () =>
      (await readLog()).includes('pre-existing shared memory block')
    await vi.waitUntil(isStartRejected, { timeout: 60_000, interval: 20 })
    expect(isAlive(killed)).toBe(true)
    process.kill(connectionPid, 'SIGCONT')
    expect(await starting).toMatchObject({ started: true })
  })

  test('the search for a server does not change the lock file', async () => {
    const dataDir = await createClusterFolder()
    const cluster = join(dataDir, 'postgres')
    const file = join(cluster, 'postmaster.pid')
    await writeFile(file, `${process.pid}\n`)
    expect(await findPostmaster(cluster)).toBeUndefined()
    expect(await readFile(file, 'utf8')).toBe(`${process.pid}\n`)
    await rm(file)
  })

  test('a lock file with the PID of another program does not prevent a start', async () => {
    const dataDir = await createClusterFolder()
    const first = await start(dataDir)
    await first.stop()
    const file = join(dataDir, 'postgres', 'postmaster.pid')
    const port = new URL(first.url).port
    await writeFile(file, `${process.pid}\n${dataDir}\n0\n${port}\n\n127.0.0.1\n\nready\n`)

    expect(await start(dataDir)).toMatchObject({ started: true })
  })

  test('an interrupted creation of a cluster is repeated', async () => {
    const dataDir = await createDataFolder()
    const child = spawnProcess(dataDir)
    const isHalfCreated = async () =>
      (await readdir(dataDir, { recursive: true })).some((name) => name.endsWith('PG_VERSION'))
    await vi.waitUntil(isHalfCreated, { timeout: 60_000, interval: 5 })
    child.kill('SIGKILL')
    await once(child, 'exit')
    expect(await readdir(dataDir)).not.toContain('postgres')

    const { url, started } = await start(dataDir)
    expect(started).toBe(true)
    expect(await query(url, 'SELECT current_database() AS name')).toEqual([{ name: 'brevis' }])
  })

  test('the remains of an interrupted creation are removed', async () => {
    const dataDir = await createDataFolder()
    await mkdir(join(dataDir, 'postgres.init-x', 'cluster'), { recursive: true })
    await writeFile(join(dataDir, 'postgres.init-x', 'cluster', 'PG_VERSION'), '18\n')
    await start(dataDir)

    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.lock', 'postgres.log'])
  })
})

describe.runIf(isRoot)('started by root,', () => {
  test('PostgreSQL runs as another user', async () => {
    const dataDir = await createDataFolder()
    await start(dataDir)
    expect((await stat(join(dataDir, 'postgres'))).uid).not.toBe(0)
    expect((await stat(`/proc/${await readPostmasterPid(dataDir)}`)).uid).not.toBe(0)
  })

  test('PostgreSQL runs in a folder that only root can enter, if the system supports it', async () => {
    const dataDir = join(await createDataFolder(0o700), 'data')
    if (!canUnshare()) {
      await expect(startEmbedded(dataDir)).rejects.toThrow(/refuses to run as root.*DATABASE_URL/)
      return
    }
    const first = await start(dataDir)
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS n')
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(0)
    await first.stop()

    const second = await start(dataDir)
    expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
  })

  test('a cluster changes its owner if its user can no longer enter its folder', async () => {
    const parent = await createDataFolder()
    const dataDir = join(parent, 'data')
    await mkdir(dataDir)
    await copyCluster(dataDir)
    const first = await start(dataDir)
    await query(first.url, 'CREATE TABLE kept AS SELECT 1 AS n')
    await first.stop()
    await chmod(parent, 0o700)
    if (!canUnshare()) {
      await expect(startEmbedded(dataDir)).rejects.toThrow(/refuses to run as root.*DATABASE_URL/)
      return
    }
    const second = await start(dataDir)
    expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 1 }])
    expect((await stat(join(dataDir, 'postgres', 'base', '1'))).uid).toBe(0)
  })
})

/** Returns whether this system allows a process to change its user in a new namespace. */
function canUnshare(): boolean {
  try {
    execFileSync('unshare', ['--user', '--map-user=1', '--map-group=1', 'true'])
    return true
  } catch {
    return false
  }
}
