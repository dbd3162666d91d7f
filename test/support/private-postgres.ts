import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type EmbeddedPostgres,
  startEmbedded,
} from '../../src/embedded-postgres/embedded-postgres.ts'
import { copyCluster } from './copy-cluster.ts'
import { readPostmasterPid } from './embedded-postgres.ts'
import { isAlive, listChildren, signal, until } from './processes.ts'
import { scratchFolder } from './scratch.ts'

export type PrivatePostgres = Awaited<ReturnType<typeof startPrivatePostgres>>

/**
 * Starts a PostgreSQL server that a test may kill or freeze. It does not sync commits to disk, but
 * loses them only in a power failure, not when killed. It runs in a new folder, which `close`
 * deletes, or in an existing one, which is kept.
 */
export async function startPrivatePostgres(existingFolder?: string) {
  const folder = await realpath(
    existingFolder ?? (await mkdtemp(join(scratchFolder(), 'brevis-faults-'))),
  )
  await chmod(folder, 0o755)
  if (!existingFolder) await copyCluster(folder)
  let embedded = await startServer()
  const { url } = embedded

  async function startServer(): Promise<EmbeddedPostgres> {
    return startEmbedded(folder, { settings: { fsync: 'off' } })
  }

  const readPid = () => readPostmasterPid(folder)

  /** Returns the server's processes, the main one first. */
  async function listProcesses(): Promise<number[]> {
    const first = await readPid()
    return [first, ...(await listChildren(first)).map(({ pid }) => pid)]
  }

  async function waitForExit(pids: readonly number[]): Promise<void> {
    await until('PostgreSQL has exited', () => pids.every((pid) => !isAlive(pid)))
  }

  return {
    url,
    /** Its data folder. */
    folder,
    readPid,

    /** Stops it like `pg_ctl stop -m fast`. */
    async stop(): Promise<void> {
      const pid = await readPid()
      signal(pid, 'SIGINT')
      await waitForExit([pid])
    },

    /** Kills all of its processes with SIGKILL. */
    async kill(): Promise<void> {
      const pids = await listProcesses()
      for (const pid of pids) signal(pid, 'SIGKILL')
      await waitForExit(pids)
    },

    /** Suspends all of its processes: connections stay open, but it does not respond. */
    async freeze(): Promise<void> {
      for (const pid of await listProcesses()) signal(pid, 'SIGSTOP')
    },

    async thaw(): Promise<void> {
      for (const pid of await listProcesses()) signal(pid, 'SIGCONT')
    },

    /** Restarts it on the same port. */
    async start(): Promise<void> {
      embedded = await startServer()
      if (embedded.url !== url) throw new Error('PostgreSQL restarted with another URL')
    },

    async close(): Promise<void> {
      const pids = await listProcesses().catch(() => [])
      for (const pid of pids) signal(pid, 'SIGCONT')
      const [first] = pids
      if (first) signal(first, 'SIGQUIT')
      await waitForExit(pids)
      await embedded.stop()
      if (!existingFolder) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
