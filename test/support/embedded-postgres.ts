import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { inject, onTestFinished, vi } from 'vitest'
import { createChildEnvironment } from '../../src/config.ts'
import {
  type EmbeddedPostgres,
  startEmbedded,
} from '../../src/embedded-postgres/embedded-postgres.ts'
import { copyCluster } from './copy-cluster.ts'
import { scratchFolder } from './scratch.ts'

/**
 * Creates a temporary data folder, readable by other users by default. After the test, it is deleted
 * and a server that still runs in it is stopped.
 */
export async function createDataFolder(mode = 0o755): Promise<string> {
  const folder = await realpath(await mkdtemp(join(scratchFolder(), 'brevis-embedded-')))
  await chmod(folder, mode)
  onTestFinished(async () => {
    for (const dataDir of [folder, join(folder, 'data')]) await killServer(dataDir)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  return folder
}

/** Creates a data folder that already has a cluster, for tests of later starts. */
export async function createClusterFolder(): Promise<string> {
  const folder = await createDataFolder()
  await copyCluster(folder)
  return folder
}

/** Starts the embedded server, and stops it after the test. */
export async function start(
  dataDir: string,
  options: Parameters<typeof startEmbedded>[1] = {},
): Promise<EmbeddedPostgres> {
  const settings = { fsync: 'off', ...options.settings }
  const embedded = await startEmbedded(dataDir, { ...options, settings })
  onTestFinished(() => embedded.stop())
  return embedded
}

/** Ends a server that still runs in a folder, and waits for it. */
async function killServer(dataDir: string): Promise<void> {
  const pid = await readPostmasterPid(dataDir).catch(() => undefined)
  // Some tests write this process's id as that of a server.
  if (pid === undefined || pid === process.pid) return
  try {
    process.kill(pid, 'SIGQUIT')
  } catch {
    return
  }
  const hasEnded = () =>
    stat(join(dataDir, 'postgres', 'postmaster.pid')).then(
      () => false,
      () => true,
    )
  await vi.waitUntil(hasEnded, { timeout: 60_000, interval: 10 }).catch(() => undefined)
}

/** Starts another process that uses the data folder (`embedded-process.ts`), and ends it after the test. */
export function spawnProcess(dataDir: string): ChildProcess {
  const script = fileURLToPath(new URL('./embedded-process.ts', import.meta.url))
  const child = spawn(process.execPath, [script, dataDir], {
    env: createChildEnvironment(inject('compileCache')),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => endProcess(child))
  return child
}

/** Like `spawnProcess`, but waits until its server runs. */
export async function startProcess(dataDir: string) {
  const child = spawnProcess(dataDir)
  const [line] = child.stdout ? await once(child.stdout, 'data') : []
  const { url, started }: { url: string; started: boolean } = JSON.parse(String(line))
  const { pid } = child
  if (!pid) throw new Error('the process did not start')
  return {
    url,
    started,
    pid,
    kill: () => child.kill('SIGKILL'),
    endProcess: () => endProcess(child),
  }
}

async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.stdin?.end()
  await exit
}

export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client(url)
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

export async function readPostmasterPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
}
