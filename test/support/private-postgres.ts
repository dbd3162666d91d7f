import { chmod, mkdtemp, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type EmbeddedPostgres,
  startEmbedded,
} from '../../src/embedded-postgres/embedded-postgres.ts'
import { copyCluster } from './copy-cluster.ts'
import { postmasterPid } from './embedded-postgres.ts'
import { childrenOf, isAlive, signal, until } from './processes.ts'
import { scratchFolder } from './scratch.ts'

export type PrivatePostgres = Awaited<ReturnType<typeof startPrivatePostgres>>

/**
 * Starts a PostgreSQL server that a test may kill or freeze. It keeps its commits when killed, but
 * does not sync them to disk, which matters only for a power loss. It runs in a new folder, or in
 * an existing one, which is kept.
 */
export async function startPrivatePostgres(existing?: string) {
  const folder = await realpath(
    existing ?? (await mkdtemp(join(scratchFolder(), 'brevis-faults-'))),
  )
  await chmod(folder, 0o755)
  if (!existing) await copyCluster(folder)
  let embedded = await startHere()
  const { url } = embedded

  async function startHere(): Promise<EmbeddedPostgres> {
    return startEmbedded(folder, { settings: { fsync: 'off' } })
  }

  const postmaster = () => postmasterPid(folder)

  /** Returns the server's processes, the main one first. */
  async function everyProcess(): Promise<number[]> {
    const first = await postmaster()
    return [first, ...(await childrenOf(first)).map(({ pid }) => pid)]
  }

  async function gone(pids: readonly number[]): Promise<void> {
    await until('PostgreSQL has exited', () => pids.every((pid) => !isAlive(pid)))
  }

  return {
    url,
    /** Its data folder. */
    folder,
    postmaster,

    /** Stops it like `pg_ctl stop -m fast`. */
    async stop(): Promise<void> {
      const pid = await postmaster()
      signal(pid, 'SIGINT')
      await gone([pid])
    },

    /** Kills all of its processes with SIGKILL. */
    async kill(): Promise<void> {
      const pids = await everyProcess()
      for (const pid of pids) signal(pid, 'SIGKILL')
      await gone(pids)
    },

    /** Suspends all of its processes, which keeps connections open without responses. */
    async freeze(): Promise<void> {
      for (const pid of await everyProcess()) signal(pid, 'SIGSTOP')
    },

    async thaw(): Promise<void> {
      for (const pid of await everyProcess()) signal(pid, 'SIGCONT')
    },

    /** Restarts it on the same port. */
    async start(): Promise<void> {
      embedded = await startHere()
      if (embedded.url !== url) throw new Error('PostgreSQL came back at another address')
    },

    async close(): Promise<void> {
      const pids = await everyProcess().catch(() => [])
      for (const pid of pids) signal(pid, 'SIGCONT')
      const [first] = pids
      if (first) signal(first, 'SIGQUIT')
      await gone(pids)
      await embedded.stop()
      if (!existing) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
